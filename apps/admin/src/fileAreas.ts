import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Area } from '@canopy/domain'
import { type StorageRoot, storageReachable } from '@canopy/storage-fs'
import { areaDirectory, createArea, foreignMountsOf, inspectArea, isMountPoint } from '@canopy/storage-fs/admin'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AreaStore, notCreatable, realPlace } from './areas.js'
import * as findings from './findings.js'
import { external, unless } from './Problem.js'
import { isSecretName } from './secretNames.js'

const isNotMounted = (wasMountPoint: boolean, directory: string): boolean => {
  try {
    return wasMountPoint && !isMountPoint(directory)
  } catch {
    // It is not there, which the inspection finds.
    return false
  }
}

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
    create: (location) =>
      pipe(
        createArea(root, location),
        TE.mapLeft(({ reason, suggestion }) => notCreatable(reason, suggestion)),
      ),
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
      if (mounts.length > 0) yield findings.ofForeignMounts(mounts)
      const isLookedFor = (name: string): boolean => {
        onNode()
        return isSecretName(name)
      }
      for await (const found of inspectArea(directory, isLookedFor))
        yield found.finding === 'name looked for' ? found.path : findings.ofTrouble(account, directory, found)
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
