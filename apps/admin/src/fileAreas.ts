import { lstat, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Area, StoragePath } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import { type StorageRoot, storageReachable } from '@canopy/storage-fs'
import {
  type AreaNotCreatable,
  allForeignMounts,
  areaDirectory,
  checkArea,
  createArea,
  hintOn,
  holdsMount,
  inspectArea,
  isMountPoint,
  type Trouble,
} from '@canopy/storage-fs/admin'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AreaStore, commandOn, type Finding, notCreatable } from './AreaStore.js'
import { realPathOf } from './overlaps.js'
import { external, ignoreErrno, type Problem } from './Problem.js'
import { withCount } from './Report.js'
import { isSecretName } from './secretNames.js'

/** Areas that are directories, in the storage root or elsewhere. */
export const fileAreas = (root: StorageRoot.StorageRoot): AreaStore => {
  const directoryOf = (location: Area.AreaLocation): string => areaDirectory(root, location)
  return {
    kind: 'directory',
    title: root,
    reachable: storageReachable(root),
    directoryOf,
    realPathOf:
      (location = Area.location('.')) =>
      () =>
        realPathOf(directoryOf(location)),
    check: (location) => pipe(checkArea(root, location), TE.mapLeft(notCreatableProblem)),
    create: (location) => pipe(createArea(root, location), TE.mapLeft(notCreatableProblem)),
    holdsMount: (location) => holdsMount(directoryOf(location)),
    exists: (location) => () =>
      lstat(directoryOf(location)).then(
        () => true,
        () => false,
      ),
    inspect: (account, onNode) => inspect(account, directoryOf(account.location), onNode),
    put: ({ location }, path, text) => {
      const target = join(directoryOf(location), path)
      const create = () =>
        text === undefined ? mkdir(target, { mode: 0o750 }) : writeFile(target, text, { flag: 'wx', mode: 0o640 })
      return TE.tryCatch(() => create().catch(ignoreErrno('EEXIST')), external(`cannot create ${target}`))
    },
    close: constVoid,
  }
}

const notCreatableProblem = ({ reason, hint }: AreaNotCreatable): Problem => notCreatable(reason, hint)

async function* inspect(account: Account, directory: string, onNode: () => boolean): ReturnType<AreaStore['inspect']> {
  if (account.isMountPoint && isUnmounted(directory)) {
    yield unmountedFinding(account, directory)
    return
  }
  const mounts = allForeignMounts(directory)
  if (mounts.length > 0) yield foreignMountsFinding(mounts)
  let mayContinue = true
  let linkCount = 0
  const isMatch = (name: string): boolean => {
    mayContinue &&= onNode()
    return isSecretName(name)
  }
  for await (const found of inspectArea(directory, isMatch)) {
    if (found.finding === 'symbolic link') linkCount += 1
    else yield found.finding === 'name looked for' ? found.path : troubleFinding(account, directory, found)
    if (!mayContinue) break
  }
  if (linkCount > 0) yield linksFinding(linkCount)
}

const linksFinding = (count: number): Finding => ({
  kind: 'symbolic links',
  message: `${withCount(count, 'symbolic link')} skipped: Canopy does not follow symbolic links, so clients do not see them`,
  note: true,
})

const isUnmounted = (directory: string): boolean => {
  try {
    return !isMountPoint(directory)
  } catch {
    // The inspection reports a directory that is missing.
    return false
  }
}

const unmountedFinding = (account: Account, directory: string): Finding => ({
  kind: 'area not mounted',
  message: `${directory} was a mount point when it was assigned to the account, but nothing is mounted there now, so every request fails with the error \`external\`: mount its disk, or run ${commandOn('account update', account, '--area', shellWord(directory))} to serve the directory as is`,
})

/** Notes foreign mounts. Operators usually know, but each request costs a read. */
const foreignMountsFinding = (mounts: ReadonlyArray<string>): Finding => ({
  kind: 'network storage',
  message: `${mounts.join(', ')} ${mounts.length === 1 ? 'is' : 'are'} on a network or FUSE file system, which does not report changes, so every request reads its directories again: set CANOPY_MAX_AGE_MS to allow cached responses`,
  note: true,
})

/** `directory` is the directory of the area, absolute. */
export const troubleFinding = (account: Account, directory: string, found: Trouble): Finding => {
  const path = 'path' in found ? found.path : found.directory
  const hint = ('errno' in found ? hintOn(found.errno) : undefined) ?? 'check the kernel log (`dmesg`)'
  switch (found.finding) {
    case 'directory not readable':
      return path === StoragePath.root && ['ENOENT', 'ENOTDIR'].includes(found.errno)
        ? {
            kind: 'missing area',
            message: `${directory} ${found.errno === 'ENOENT' ? 'does not exist' : 'is not a directory'}, so every request fails with the error \`external\`: mount or create it, or run ${commandOn('account delete', account)}`,
          }
        : {
            kind: 'unreadable directory',
            message: `the directory cannot be read (${found.errno}), so requests for its contents fail with the error \`external\`: ${hint}`,
            path,
          }
    case 'node not known':
      return {
        kind: 'unreadable entry',
        message: `the entry cannot be inspected (${found.errno}), so requests that would include it fail with the error \`external\`: ${hint}`,
        path,
      }
    case 'name not listable':
      return {
        kind: 'invalid name',
        message: `the directory contains the name ${found.name}, which is not UTF-8, so no client can see that entry: rename it`,
        path,
      }
    case 'names are folded':
      return {
        kind: 'case-insensitive names',
        message:
          'the file system treats names that differ only in case or Unicode normalization as the same file; Canopy finds a file only under the exact name in the directory listing',
        path,
        note: true,
      }
    case 'path too long':
      return {
        kind: 'path too long',
        message: `the directory contains ${found.name}, whose path is longer than ${StoragePath.maxBytes} bytes or has more than ${StoragePath.maxSegments} components, so no client can see it: shorten its path`,
        path,
      }
  }
}
