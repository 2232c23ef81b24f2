import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Area, StoragePath } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import { type StorageRoot, storageReachable } from '@canopy/storage-fs'
import {
  type AreaNotCreatable,
  areaDirectory,
  checkArea,
  createArea,
  foreignMountsOf,
  hintOn,
  holdsMount,
  inspectArea,
  isMountPoint,
  type Trouble,
} from '@canopy/storage-fs/admin'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AreaStore, commandOn, type Finding, notCreatable, realPlace } from './areas.js'
import { external, type Problem, unless } from './Problem.js'
import { isSecretName } from './secretNames.js'

const isNotMounted = (wasMountPoint: boolean, directory: string): boolean => {
  try {
    return wasMountPoint && !isMountPoint(directory)
  } catch {
    // It is not there, which the inspection finds.
    return false
  }
}

/** What the storage found in an area, in an operator's words. `directory` is the area's, absolute. */
export const ofTrouble = (account: Account, directory: string, found: Trouble): Finding => {
  const path = 'path' in found ? found.path : found.directory
  const advice = ('errno' in found ? hintOn(found.errno) : undefined) ?? 'look at the log of the kernel (`dmesg`)'
  switch (found.finding) {
    case 'directory not readable':
      return path === StoragePath.root && ['ENOENT', 'ENOTDIR'].includes(found.errno)
        ? {
            kind: 'missing area',
            message: `${directory} is no directory, so every request answers \`external\`: mount or make it, or ${commandOn('account delete', account)}`,
          }
        : {
            kind: 'unreadable directory',
            message: `cannot be read (${found.errno}), and what the server cannot read answers \`external\`: ${advice}`,
            path,
          }
    case 'node not known':
      return {
        kind: 'unknown node',
        message: `cannot be looked at (${found.errno}), so anyone who would be shown it is answered \`external\`: ${advice}`,
        path,
      }
    case 'name not listable':
      return {
        kind: 'unlistable name',
        message: `holds a name that is not UTF-8, ${found.name}, so no one can see it: rename it`,
        path,
      }
    case 'names are folded':
      return {
        kind: 'folded names',
        message:
          'names that differ only in case or form are one file here; Canopy finds a node only by the name that its directory lists',
        path,
        note: true,
      }
    case 'path too long':
      return {
        kind: 'path too long',
        message: `holds ${found.name}, whose path is longer than ${StoragePath.maxBytes} bytes or ${StoragePath.maxSegments} names, so no one can see it: move it upwards`,
        path,
      }
  }
}

const notMounted = (account: Account, directory: string): Finding => ({
  kind: 'area not mounted',
  message: `${directory} was a mount point when it was given to the account, and nothing is mounted there now, so every request answers \`external\`: mount its disk, or, to serve it as it is, ${commandOn('account update', account, '--area', shellWord(directory))}`,
})

/** It costs, and is most likely known. */
const ofForeignMounts = (mounts: ReadonlyArray<string>): Finding => ({
  kind: 'network storage',
  message: `what is on ${mounts.join(', ')} is on a network or FUSE file system, which reports no changes, so it is read for each request: CANOPY_MAX_AGE_MS allows older answers`,
  note: true,
})

const refused = ({ reason, suggestion }: AreaNotCreatable): Problem => notCreatable(reason, suggestion)

/** Areas that are directories, in the storage root or elsewhere. */
export const fileAreas = (root: StorageRoot.StorageRoot): AreaStore => {
  const directoryOf = (location: Area.AreaLocation): string => areaDirectory(root, location)
  return {
    areaIs: 'directory',
    title: root,
    reachable: storageReachable(root),
    directoryOf,
    placeOf:
      (location = Area.location('.')) =>
      () =>
        realPlace(directoryOf(location)),
    check: (location) => pipe(checkArea(root, location), TE.mapLeft(refused)),
    create: (location) => pipe(createArea(root, location), TE.mapLeft(refused)),
    holdsMount: (location) => holdsMount(directoryOf(location)),
    names: TE.tryCatch(
      async () => (await readdir(root).catch(unless('ENOENT'))) ?? [],
      external(`cannot read the storage ${root}`),
    ),
    inspect: async function* (account, onNode) {
      const directory = directoryOf(account.location)
      if (isNotMounted(account.isMountPoint, directory)) {
        yield notMounted(account, directory)
        return
      }
      const mounts = foreignMountsOf(directory)
      if (mounts.length > 0) yield ofForeignMounts(mounts)
      const isLookedFor = (name: string): boolean => {
        onNode()
        return isSecretName(name)
      }
      for await (const found of inspectArea(directory, isLookedFor))
        yield found.finding === 'name looked for' ? found.path : ofTrouble(account, directory, found)
    },
    put: ({ location }, path, text) => {
      const at = join(directoryOf(location), path)
      const made = () =>
        text === undefined ? mkdir(at, { mode: 0o750 }) : writeFile(at, text, { flag: 'wx', mode: 0o640 })
      return TE.tryCatch(() => made().catch(unless('EEXIST')), external(`cannot make ${at}`))
    },
    close: constVoid,
  }
}
