import { type Area, type Entry, Failure, type Name, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { nodeOf } from './keys.js'
import type { exactDirectories } from './letterCase.js'
import { findListed } from './levelPage.js'
import type { StorageResult } from './StorageResult.js'
import { hasKeysUnder, type Store } from './store.js'

const directory = nodeOf(undefined)

/** Swift ends a search by prefix at the next character, and fails if the last character of the prefix has no successor. */
const hasNoNext = (key: string): boolean => key.endsWith('\ud7ff') || key.endsWith('\u{10ffff}')

const missingArea = ({ location }: Area.Area): Failure.External =>
  Failure.external(
    new Error(
      `the area ${location} does not exist in the store (no keys, no marker object): run \`canopy account update ID --area ${location}\` to create it`,
    ),
  )

/** Looks up single nodes. `prefix` is the key prefix of the area. */
export class LookUps {
  readonly #store: Pick<Store, 'page'>
  readonly #isExact: ReturnType<typeof exactDirectories>

  constructor(store: Pick<Store, 'page'>, isExact: ReturnType<typeof exactDirectories>) {
    this.#store = store
    this.#isExact = isExact
  }

  async nodeAt(area: Area.Area, prefix: string, path: StoragePath.StoragePath): Promise<StorageResult<Entry.Node>> {
    const node = await this.#find(prefix, path)
    return O.isSome(node) ? E.right(node.value) : E.left(await this.#reasonForAbsence(area, prefix, path))
  }

  /**
   * Returns the node at exactly this path, because a store that ignores case also finds nodes by other spellings. Takes one
   * request for a directory and two for a file, however many other names begin like it.
   */
  async #find(prefix: string, path: StoragePath.StoragePath): Promise<O.Option<Entry.Node>> {
    if (path === StoragePath.root) return (await hasKeysUnder(this.#store, prefix)) ? O.some(directory) : O.none
    const isDirectory = await hasKeysUnder(this.#store, `${prefix}${path.slice(1)}/`)
    const node = isDirectory ? O.some(directory) : await this.#findFile(`${prefix}${path.slice(1)}`)
    const spelled = isDirectory ? O.some(path) : StoragePath.parent(path)
    return O.isNone(node) || O.isNone(spelled) || (await this.#isExact(prefix, spelled.value)) ? node : O.none
  }

  async #findFile(key: string): Promise<O.Option<Entry.Node>> {
    const slash = key.lastIndexOf('/') + 1
    const name = key.slice(slash) as Name.Name
    if (hasNoNext(key)) return O.fromNullable(await findListed(this.#store, key.slice(0, slash), name))
    // If the key exists, it is the first key that begins with it.
    const [first] = (await this.#store.page({ prefix: key, oneLevel: false, maxKeys: 1 })).keys
    return first?.file !== undefined && first.names.length === 1 && first.names[0] === name
      ? O.some(nodeOf(first.file))
      : O.none
  }

  /** Binary search over the ancestors, because below a file or a missing directory all of them are missing. */
  async #reasonForAbsence(area: Area.Area, prefix: string, path: StoragePath.StoragePath): Promise<Failure.OfStorage> {
    const above = StoragePath.upwards(path).slice(1)
    let [low, high] = [0, above.length]
    while (low < high) {
      // The parent first, because it usually exists.
      const middle = low === 0 && high === above.length ? 0 : (low + high) >> 1
      const node = await this.#find(prefix, above[middle] ?? StoragePath.root)
      if (O.isSome(node)) {
        if (node.value.type === 'file') return Failure.typeMismatch
        high = middle
      } else low = middle + 1
    }
    return low === above.length ? missingArea(area) : Failure.fileNotFound
  }
}
