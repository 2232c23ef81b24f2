import {
  type Area,
  type Entry,
  Failure,
  type ListEnv,
  Listing,
  type NodeAtEnv,
  type Signal,
  StoragePath,
  U64,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { add, emptyDirectory, listingOf } from './Directory.js'
import { explained } from './explained.js'
import { areaPrefix } from './keys.js'
import { exactDirectories } from './letterCase.js'
import type { S3Url } from './S3Url.js'
import { begins, openStore, type Store } from './store.js'
import { addLevel, subtrees } from './subtree.js'

/** The storage ports over areas that are key prefixes. */
export interface S3Storage extends NodeAtEnv, ListEnv {
  /** Whether the bucket can be listed. `cause` says in a line why not, and what to do. */
  readonly reachable: TE.TaskEither<Failure.External, void>
  readonly close: () => void
}

type Answer<A> = E.Either<Failure.OfStorage, A>

/** What one level says of a name: some other names that begin like it may come first. */
const namesAlike = 50

/** Swift looks for keys up to the next character, and fails where a prefix ends in one that has none. */
const hasNoNext = (key: string): boolean => key.endsWith('\ud7ff') || key.endsWith('\u{10ffff}')

/** Several, so that a store that lists keys in another order shows it. */
const checkedKeys = 50

const directory: Entry.Node = { type: 'dir', last_modified: U64.zero }

const missing = ({ location }: Area.Area): Failure.External =>
  Failure.external(new Error(`the area ${location} has neither keys nor a marker: \`canopy account create\` makes one`))

/** The storage ports over a bucket that is open. */
export const storageIn = (url: S3Url, store: Store): S3Storage => {
  const walks = subtrees(store)
  const isExact = exactDirectories(store)

  const asking =
    <A>(area: Area.Area, ask: (prefix: string) => Promise<Answer<A>>): TE.TaskEither<Failure.OfStorage, A> =>
    async () => {
      const prefix = areaPrefix(url, area)
      if (E.isLeft(prefix)) return prefix
      try {
        return await ask(prefix.right)
      } catch (thrown) {
        return E.left(Failure.external(explained(url, thrown)))
      }
    }

  /** One question, as a rule: `a` is asked for with `a/` and with all names that go on from `a`. */
  const lookUp = async (area: string, path: StoragePath.StoragePath): Promise<O.Option<Entry.Node>> => {
    const key = `${area}${path.slice(1)}`
    if (path === StoragePath.root) return (await begins(store, key)) ? O.some(directory) : O.none
    const name = StoragePath.name(path) as Entry.Entry['name']
    const level = emptyDirectory()
    if (hasNoNext(key)) {
      await addLevel(store, level, key.slice(0, key.lastIndexOf('/') + 1), O.none, undefined)
      return Listing.named(listingOf(level), name)
    }
    const { found, end } = await store.page({ prefix: key, oneLevel: true, maxKeys: namesAlike })
    for (const each of found) add(level, each)
    const node = Listing.named(listingOf(level), name)
    if (end === undefined || (O.isSome(node) && node.value.type === 'dir')) return node
    return (await begins(store, `${key}/`)) && (await isExact(area, path)) ? O.some(directory) : node
  }

  /** The node at exactly this path. A store that ignores case finds nodes by other spellings too. */
  const look = async (area: string, path: StoragePath.StoragePath): Promise<O.Option<Entry.Node>> => {
    const node = await lookUp(area, path)
    const parent = StoragePath.parent(path)
    return O.isNone(node) || O.isNone(parent) || (await isExact(area, parent.value)) ? node : O.none
  }

  /** Why nothing is at a path: by halves, since what lies in a directory is nowhere else. */
  const whyNothing = async (
    area: Area.Area,
    prefix: string,
    path: StoragePath.StoragePath,
  ): Promise<Failure.OfStorage> => {
    const above = StoragePath.upwards(path).slice(1)
    let [low, high] = [0, above.length]
    while (low < high) {
      // The directory that should hold it comes first: mostly it is there.
      const place = low === 0 && high === above.length ? 0 : (low + high) >> 1
      const node = await look(prefix, above[place] ?? StoragePath.root)
      if (O.isSome(node)) {
        if (node.value.type === 'file') return Failure.typeMismatch
        high = place
      } else low = place + 1
    }
    return low === above.length ? missing(area) : Failure.fileNotFound
  }

  const nodeIn = async (
    area: Area.Area,
    prefix: string,
    path: StoragePath.StoragePath,
  ): Promise<Answer<Entry.Node>> => {
    const node = await look(prefix, path)
    return O.isSome(node) ? E.right(node.value) : E.left(await whyNothing(area, prefix, path))
  }

  /** `undefined` where no key is below the directory. */
  const listed = async (
    area: string,
    path: StoragePath.StoragePath,
    parent: Listing.Listing | undefined,
    signal: Signal | undefined,
  ): Promise<Listing.Listing | undefined> => {
    const name = StoragePath.name(path)
    const along = parent === undefined || name === '' ? undefined : await walks.listIn(parent, name, signal)
    if (along !== undefined) return along
    const prefix = path === StoragePath.root ? area : `${area}${path.slice(1)}/`
    const listing = parent === undefined ? await levelAt(prefix, signal) : await walks.list(prefix, signal)
    return listing === undefined || (await isExact(area, path)) ? listing : undefined
  }

  const levelAt = async (prefix: string, signal: Signal | undefined): Promise<Listing.Listing | undefined> => {
    const level = emptyDirectory()
    return (await addLevel(store, level, prefix, O.none, signal)) ? listingOf(level) : undefined
  }

  return {
    nodeAt: (area, path) => asking(area, (prefix) => nodeIn(area, prefix, path)),
    list: (area, path, { parent, signal } = {}) =>
      asking(area, async (prefix) => {
        const listing = await listed(prefix, path, parent, signal)
        if (listing !== undefined) return E.right(listing)
        return pipe(
          await nodeIn(area, prefix, path),
          // A directory that came in the meantime was none when it was asked for.
          E.flatMap(({ type }) => E.left(type === 'file' ? Failure.typeMismatch : Failure.fileNotFound)),
        )
      }),
    reachable: async () => {
      try {
        await store.page({ prefix: url.prefix, oneLevel: false, maxKeys: checkedKeys })
        return E.right(undefined)
      } catch (thrown) {
        return E.left(Failure.external(explained(url, thrown)))
      }
    },
    close: store.close,
  }
}

/** The storage ports over a bucket. Loads the SDK. */
export const s3Storage = async (url: S3Url): Promise<S3Storage> => storageIn(url, await openStore(url))
