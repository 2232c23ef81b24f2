import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Area } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import { procIsMounted, type StorageRoot, storageReachable } from '@canopy/storage-fs'
import { areaDirectory, createArea, foreignMountsOf, inspectArea, isMountPoint } from '@canopy/storage-fs/admin'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AreaStore, NewNode } from './AreaStore.js'
import { realPlace } from './areas.js'
import { external, failed, unless } from './Command.js'
import * as findings from './findings.js'
import { isSecretName } from './secretNames.js'

const isNotMounted = (wasMountPoint: boolean, directory: string): boolean => {
  try {
    return wasMountPoint && !isMountPoint(directory)
  } catch {
    // It is not there, which the inspection finds.
    return false
  }
}

const makeNodes = async (directory: string, nodes: ReadonlyArray<NewNode>): Promise<void> => {
  for (const [path, text] of nodes) {
    const at = join(directory, path)
    const made = text === undefined ? mkdir(at, { mode: 0o750 }) : writeFile(at, text, { flag: 'wx', mode: 0o640 })
    await made.catch(unless('EEXIST'))
  }
}

/** Areas that are directories, in the storage root or elsewhere. */
export const fileAreas = (root: StorageRoot.StorageRoot): AreaStore => {
  const directoryOf = (location: Area.AreaLocation): string => areaDirectory(root, location)
  return {
    areaIs: 'directory',
    title: root,
    reachable: pipe(
      storageReachable(root),
      TE.mapLeft(({ cause }) => `no server is ready without it: ${causeOf(cause)}`),
    ),
    readable: pipe(
      TE.fromIOEither(procIsMounted),
      TE.mapLeft(({ cause }) => failed('external')(causeOf(cause))),
    ),
    directoryOf,
    placeOf:
      (location = Area.location('.')) =>
      () =>
        realPlace(directoryOf(location)),
    create: (location) => createArea(root, location),
    names: TE.tryCatch(
      async () => (await readdir(root).catch(unless('ENOENT'))) ?? [],
      external(`cannot read the storage ${root}`),
    ),
    inspect: async function* (account, onNode) {
      const directory = directoryOf(account.location)
      if (isNotMounted(account.isMountPoint, directory)) {
        yield findings.notMounted(account, directory)
        return
      }
      const mounts = foreignMountsOf(directory)
      if (mounts.length > 0) yield findings.ofForeignMounts(account, mounts)
      const isLookedFor = (name: string): boolean => {
        onNode()
        return isSecretName(name)
      }
      for await (const found of inspectArea(directory, isLookedFor))
        yield found.finding === 'name looked for' ? found.path : findings.ofTrouble(account, directory, found)
    },
    has:
      ({ location }) =>
      async () =>
        existsSync(directoryOf(location)),
    fill: ({ location }, nodes) =>
      pipe(
        createArea(root, location),
        TE.mapLeft(({ error, reason, suggestion }) => failed(error)(reason, suggestion)),
        TE.flatMap(({ directory }) =>
          TE.tryCatch(() => makeNodes(directory, nodes), external(`cannot fill ${directory}`)),
        ),
      ),
    close: constVoid,
  }
}
