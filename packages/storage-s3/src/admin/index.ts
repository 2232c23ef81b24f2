import { type Area, type Failure, type Name, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { areaPrefix, type ListedKey } from '../keys.js'
import { checkMarker, ignoresCase } from '../letterCase.js'
import type { Page } from '../page.js'
import type { S3Url } from '../S3Url.js'
import { askStore, storeFailed } from '../StoreFailed.js'
import { type S3Storage, storageIn } from '../s3Storage.js'
import { hasKeysUnder, openStore } from '../store.js'

export { isKeyPrefix } from '../keys.js'
export { StoreFailed } from '../StoreFailed.js'

/** A node of an area, or a key with an invalid segment. */
export type Inspected =
  | { readonly is: 'node'; readonly path: StoragePath.StoragePath }
  /** The directory of the invalid segment. */
  | { readonly is: 'no name'; readonly directory: StoragePath.StoragePath }

/** The storage ports, and the functions of the command that write and inspect areas. */
export interface S3Areas extends S3Storage {
  /**
   * Puts the marker, so that the empty area exists. `left` also if the location is not a key prefix or the store ignores case.
   */
  readonly createArea: (location: Area.AreaLocation) => TE.TaskEither<Failure.External, { readonly isNew: boolean }>
  /** Reports whether the store also finds a directory of the area if the request spells it in another case. */
  readonly ignoresCase: (location: Area.AreaLocation) => TE.TaskEither<Failure.External, boolean>
  /** Yields every node of an area in the order of its keys; a directory may come several times. Rejects if the store fails. */
  readonly inspect: (location: Area.AreaLocation) => AsyncIterable<Inspected>
  /** Puts an object with this text, and replaces an existing one. A path that ends in a slash puts a marker. */
  readonly put: (location: Area.AreaLocation, path: string, text: string) => TE.TaskEither<Failure.External, void>
}

const pathOf = (names: ReadonlyArray<Name.Name>): StoragePath.StoragePath =>
  pipe(
    StoragePath.fromNames(names),
    O.getOrElse(() => StoragePath.root),
  )

/** Yields the nodes that this key shows and its predecessor did not. */
function* newIn({ names, invalidSegment }: ListedKey, before: ReadonlyArray<Name.Name>): Generator<Inspected, void> {
  for (const index of names.keys()) {
    const isNew = index === names.length - 1 || names.slice(0, index + 1).some((name, at) => before[at] !== name)
    if (isNew) yield { is: 'node', path: pathOf(names.slice(0, index + 1)) }
  }
  if (invalidSegment !== undefined) yield { is: 'no name', directory: pathOf(names) }
}

/** Loads the SDK. */
export const s3Areas = async (url: S3Url): Promise<S3Areas> => {
  const store = await openStore(url)
  const storage = storageIn(url, store)
  const prefixOf = (location: Area.AreaLocation) => areaPrefix(url, { location })

  return {
    ...storage,
    createArea: (location) =>
      pipe(
        TE.fromEither(prefixOf(location)),
        TE.flatMap((prefix) =>
          askStore(url, async () => {
            const isNew = !(await hasKeysUnder(store, prefix))
            await store.put(prefix, '')
            await checkMarker(store, url, prefix)
            return { isNew }
          }),
        ),
      ),
    ignoresCase: (location) =>
      pipe(
        TE.fromEither(prefixOf(location)),
        TE.flatMap((prefix) => askStore(url, () => ignoresCase(store, url, prefix))),
      ),
    inspect: async function* (location) {
      const prefix = prefixOf(location)
      if (E.isLeft(prefix)) throw prefix.left.cause
      let before: ListedKey['names'] = []
      try {
        let page: Page | undefined
        do {
          page = await store.page({ prefix: prefix.right, oneLevel: false, from: page?.end })
          for (const key of page.keys) {
            yield* newIn(key, before)
            before = key.names
          }
        } while (page.end !== undefined)
      } catch (thrown) {
        throw storeFailed(url, thrown)
      }
    },
    put: (location, path, text) =>
      pipe(
        TE.fromEither(prefixOf(location)),
        TE.flatMap((prefix) => askStore(url, () => store.put(`${prefix}${path.slice(1)}`, text))),
      ),
  }
}
