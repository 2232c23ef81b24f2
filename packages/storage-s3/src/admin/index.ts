import { type Area, Failure, type Name, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { emptyDirectory } from '../Directory.js'
import { explained } from '../explained.js'
import { areaPrefix, type Found } from '../keys.js'
import { checkMarker, ignoresCase } from '../letterCase.js'
import type { S3Url } from '../S3Url.js'
import { type S3Storage, storageIn } from '../s3Storage.js'
import { begins, openStore, pages } from '../store.js'
import { addLevel } from '../subtree.js'

export { StoreFailed } from '../explained.js'
export { isKeyPrefix } from '../keys.js'

/** What is met in an area: a node, or a key that names nothing. */
export type Inspected =
  | { readonly is: 'node'; readonly path: StoragePath.StoragePath }
  /** The directory that the rest of the key is in. */
  | { readonly is: 'no name'; readonly directory: StoragePath.StoragePath }

/** The storage ports, and the writing side of areas, for the command. */
export interface S3Areas extends S3Storage {
  /**
   * Puts the marker, so that the area is there before anything is in it. `left` also where the location is no key prefix, or
   * the store ignores case.
   */
  readonly createArea: (location: Area.AreaLocation) => TE.TaskEither<Failure.External, { readonly isNew: boolean }>
  /** What lies directly below the storage's prefix. */
  readonly names: TE.TaskEither<Failure.External, ReadonlyArray<string>>
  /** Whether the store finds a directory of the area by another case of its letters too. */
  readonly ignoresCase: (location: Area.AreaLocation) => TE.TaskEither<Failure.External, boolean>
  /** Every node of an area, a directory once at least, in the order of the keys. Rejects where the store fails. */
  readonly inspect: (location: Area.AreaLocation) => AsyncIterable<Inspected>
  /** Puts an object with this text, in place of one that is there. A path that ends in a slash makes a marker. */
  readonly put: (location: Area.AreaLocation, path: string, text: string) => TE.TaskEither<Failure.External, void>
}

const pathOf = (names: ReadonlyArray<Name.Name>): StoragePath.StoragePath =>
  pipe(
    StoragePath.fromNames(names),
    O.getOrElse(() => StoragePath.root),
  )

/** The nodes that this key shows first, after the key before it. */
function* newIn({ names, noName }: Found, before: ReadonlyArray<Name.Name>): Generator<Inspected, void> {
  for (const index of names.keys()) {
    const isNew = index === names.length - 1 || names.slice(0, index + 1).some((name, at) => before[at] !== name)
    if (isNew) yield { is: 'node', path: pathOf(names.slice(0, index + 1)) }
  }
  if (noName !== undefined) yield { is: 'no name', directory: pathOf(names) }
}

/** Loads the SDK. */
export const s3Areas = async (url: S3Url): Promise<S3Areas> => {
  const store = await openStore(url)
  const trying = <A>(ask: () => Promise<A>): TE.TaskEither<Failure.External, A> =>
    TE.tryCatch(ask, (thrown) => Failure.external(explained(url, thrown)))
  const prefixOf = (location: Area.AreaLocation) => areaPrefix(url, { location })

  return {
    ...storageIn(url, store),
    createArea: (location) =>
      pipe(
        TE.fromEither(prefixOf(location)),
        TE.flatMap((prefix) =>
          trying(async () => {
            const isNew = !(await begins(store, prefix))
            await store.put(prefix, '')
            await checkMarker(store, url, prefix)
            return { isNew }
          }),
        ),
      ),
    names: trying(async () => {
      const level = emptyDirectory()
      await addLevel(store, level, url.prefix, O.none, undefined)
      return level.entries.map(({ name }) => name)
    }),
    ignoresCase: (location) =>
      pipe(
        TE.fromEither(prefixOf(location)),
        TE.flatMap((prefix) => trying(() => ignoresCase(store, url, prefix))),
      ),
    inspect: async function* (location) {
      const prefix = prefixOf(location)
      if (E.isLeft(prefix)) throw prefix.left.cause
      let before: Found['names'] = []
      try {
        for await (const { found } of pages(store, { prefix: prefix.right, oneLevel: false }))
          for (const each of found) {
            yield* newIn(each, before)
            before = each.names
          }
      } catch (thrown) {
        throw explained(url, thrown)
      }
    },
    put: (location, path, text) =>
      pipe(
        TE.fromEither(prefixOf(location)),
        TE.flatMap((prefix) => trying(() => store.put(`${prefix}${path.slice(1)}`, text))),
      ),
  }
}
