import type { Area, StoragePath } from '@canopy/domain'
import type { StoragePorts } from './fsStorage.js'
import { FileProcesses } from './read/FileProcesses.js'
import { ReaderPool } from './read/ReaderPool.js'
import { type ForeignMountOf, foreignMountOf } from './resolve/areas.js'
import { namePathInFailure, namePathInListing } from './resolve/namePath.js'
import type { StorageRoot } from './StorageRoot.js'

/** Called with the first request for each foreign mount, or for several in one directory (separated by NUL). */
export type OnForeign = (area: Area.Area, mount: string) => void

/**
 * Creates the storage ports over network and FUSE mounts. Child processes do all reading, because a mount may hang: its processes
 * are killed, and those of other mounts go on.
 */
export const foreignStorage = (root: StorageRoot, onForeign: OnForeign): StoragePorts =>
  new ForeignStorage(root, onForeign)

class ForeignStorage implements StoragePorts {
  readonly #root: StorageRoot
  readonly #mountOf: ForeignMountOf
  readonly #onForeign: OnForeign
  /** By mount. */
  readonly #readers = new Map<string | undefined, { readonly directories: ReaderPool; readonly files: FileProcesses }>()

  constructor(root: StorageRoot, onForeign: OnForeign) {
    this.#root = root
    this.#mountOf = foreignMountOf(root)
    this.#onForeign = onForeign
  }

  readonly nodeAt: StoragePorts['nodeAt'] = (area, path, options) => async () =>
    namePathInFailure(area, path, await this.#readersOf(area, path).directories.nodeAt(area, path, options?.signal))

  readonly list: StoragePorts['list'] = (area, path, options) => async () => {
    const question = { ask: 'list', area, path, isSnapshot: false } as const
    return namePathInListing(area, path, await this.#readersOf(area, path).directories.list(question, options?.signal))
  }

  readonly openFile: StoragePorts['openFile'] = (area, path) => async () =>
    namePathInFailure(area, path, await this.#readersOf(area, path).files.openFile(area, path))

  #readersOf(area: Area.Area, path: StoragePath.StoragePath) {
    // `undefined` if the mount was removed since the call was sent here.
    const mount = this.#mountOf(area, path)
    const known = this.#readers.get(mount)
    if (known !== undefined) return known
    if (mount !== undefined) this.#onForeign(area, mount)
    const started = { directories: new ReaderPool(this.#root), files: new FileProcesses(this.#root) }
    this.#readers.set(mount, started)
    return started
  }
}
