import { type Listing, Name, type Signal } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import pLimit from 'p-limit'
import { add, type Directory, emptyDirectory, listingOf } from './Directory.js'
import { beforeDirectory } from './keys.js'
import type { Question } from './page.js'
import { caught, pageKeys, pages, type Store } from './store.js'

// A walk of a tree does not ask the store for each directory. One page of all levels holds a small subtree whole. A
// larger one is listed by its own level, and its directories are then read in runs: neighbours, one page after the other.

/** How long a run is, in pages. */
const runPages = 3
/** The key behind its last directory says that this is whole: a run should end before its last page does. */
const sparePages = 0.2
/** Where directories are larger than those before, a run ends after this many pages: the others are read one by one. */
const mostPages = 5
/** Runs that are read at once: the one that is asked for, and one ahead. What waits for the asker takes memory. */
const runsAtOnce = 2
/** Runs whose directories can still be asked for. Those that the asker may not see never are. */
const mostRuns = 4
/** Pages of a walk that are asked for at once: other requests have connections of their own. */
const pagesAtOnce = 6
/** Runs that are begun for a directory, before it is read by itself. */
const mostTries = 3
/** A guess, where the first page has none to count. */
const keysOfDirectory = 20

type Names = ReadonlyArray<Name.Name>

/** The listing of a directory of the walk, by its name in the directory above; `undefined` where it has vanished. */
type ListChild = (name: Name.Name, signal?: Signal) => Promise<Listing.Listing | undefined>

interface Run {
  /** The directories that it reads whole. */
  readonly names: Set<Name.Name>
  /** Where the next one begins among all directories. */
  readonly end: number
  /** Those to which no later key can belong; `undefined` once it has been given. */
  readonly whole: Map<Name.Name, Directory | undefined>
  /** The page that is being read. Resolves with whether another one follows. */
  page: Promise<boolean>
}

/** A directory of a run as soon as it is whole; `undefined` where the run ends before it is. */
const takeFrom = async (run: Run, name: Name.Name): Promise<Directory | undefined> => {
  while (!run.whole.has(name) && (await run.page));
  const found = run.whole.get(name)
  // A tree asks for each directory once: what has been given takes no memory here.
  run.whole.set(name, undefined)
  return found
}

/** Waits for the last page of a run. */
const ended = async (run: Run): Promise<void> => {
  while (await run.page);
}

const keyOrder = (one: Name.Name, other: Name.Name): number => Name.byBytes.compare(`${one}/`, `${other}/`)

const directoriesIn = ({ entries }: Directory): Names =>
  entries
    .filter(({ type }) => type === 'dir')
    .map(({ name }) => name)
    .sort(keyOrder)

/** Adds the rest of a directory's own level, after a key. Resolves with whether there is any key. */
export const addLevel = async (
  store: Pick<Store, 'page'>,
  directory: Directory,
  prefix: string,
  after: O.Option<string>,
  signal: Signal | undefined,
): Promise<boolean> => {
  let isThere = false
  const level = pages(store, { prefix, oneLevel: true, after: O.toUndefined(after) }, signal)
  for await (const { found } of level) {
    for (const each of found) add(directory, each)
    isThere ||= found.length > 0
  }
  return isThere
}

/** Reads the directories of one walk. `prefix` is that of a directory, with its slash. */
export interface Subtrees {
  /** `undefined` where no key begins with the prefix. */
  readonly list: (prefix: string, signal?: Signal) => Promise<Listing.Listing | undefined>
  /** A directory in one that was listed here; `undefined` where it is not there any more, or `parent` is of no walk. */
  readonly listIn: (parent: Listing.Listing, ...asked: Parameters<ListChild>) => ReturnType<ListChild>
}

/** Lists where one walk begins. `childrenOf` lists the directories in each listing of it. */
const newWalk = (unlimited: Store, childrenOf: WeakMap<Listing.Listing, ListChild>): Subtrees['list'] => {
  const queue = pLimit(pagesAtOnce)
  const store: Pick<Store, 'page'> = { page: (...asked) => queue(() => unlimited.page(...asked)) }

  const listed = (directory: Directory, below: ListChild): Listing.Listing => {
    const listing = listingOf(directory)
    childrenOf.set(listing, below)
    return listing
  }

  const whole = (directory: Directory): Listing.Listing =>
    listed(directory, async (name) => {
      const child = directory.below.get(name)
      return child && whole(child)
    })

  /** Also how many keys its first page has. */
  const read = async (prefix: string, signal: Signal | undefined) => {
    const { found, last, end } = await store.page({ prefix, oneLevel: false }, signal)
    if (found.length === 0) return undefined
    const directory = emptyDirectory()
    for (const each of found) add(directory, each)
    if (end === undefined) return { listing: whole(directory), keys: found.length }
    const known = new Map(directory.below)
    const keysBelow = found.filter(({ names }) => names.length > 1).length
    const keysEach = known.size === 0 ? keysOfDirectory : keysBelow / known.size
    // More keys may follow for the last one.
    const open = found.at(-1)?.names[0]
    if (open !== undefined) known.delete(open)
    await addLevel(store, directory, prefix, last, signal)
    return { listing: listed(directory, inRuns(prefix, directory, known, keysEach)), keys: found.length }
  }

  const inRuns = (
    prefix: string,
    directory: Directory,
    known: ReadonlyMap<Name.Name, Directory>,
    firstKeysEach: number,
  ): ListChild => {
    const all = directoriesIn(directory)
    const placeOf = new Map(all.map((name, place) => [name, place]))
    let runs: ReadonlyArray<Run> = []
    let keysEach = firstKeysEach
    /** Aborted when no one waits for what was asked for last. */
    let lastSignal: Signal | undefined

    /** The run that begins at a place; none where its directories are so large that each is read by itself. */
    const begin = (place: number): Run | undefined => {
      const length = Math.floor(((runPages - sparePages) * pageKeys) / keysEach)
      const neighbours = all.slice(place, place + length)
      const [firstName, lastName] = [neighbours[0], neighbours.at(-1)]
      if (firstName === undefined || lastName === undefined || firstName === lastName) return undefined
      // Pages of one size, so that little comes with the last one that belongs to no directory of the run.
      const expected = neighbours.length * keysEach + sparePages * pageKeys
      const most = Math.ceil(expected / Math.ceil(expected / pageKeys))
      const names = new Set(neighbours)
      const directory = emptyDirectory()
      const whole: Run['whole'] = new Map()
      let keys = 0

      const readPage = async (nth: number, start: Pick<Question, 'after' | 'from'>): Promise<boolean> => {
        const { found, end } = await store.page({ prefix, oneLevel: false, maxKeys: most, ...start })
        for (const each of found) add(directory, each)
        const open = end === undefined ? undefined : found.at(-1)?.names[0]
        for (const [name, child] of directory.below) if (name !== open) whole.set(name, child)
        for (const name of whole.keys()) directory.below.delete(name)
        keys += found.length
        keysEach = keys / Math.max(1, whole.size + directory.below.size)
        if (end === undefined || whole.has(lastName)) return false
        if (nth < mostPages && lastSignal?.aborted !== true) {
          run.page = caught(readPage(nth + 1, { from: end }))
          return true
        }
        for (const name of neighbours) if (!whole.has(name)) names.delete(name)
        return false
      }

      const firstPage = () => readPage(1, { after: beforeDirectory(`${prefix}${firstName}`) })
      const before = runs.at(-runsAtOnce)
      const page = caught(before === undefined ? firstPage() : ended(before).then(firstPage, firstPage))
      const run: Run = { names, end: place + neighbours.length, whole, page }
      runs = [...runs.slice(1 - mostRuns), run]
      return run
    }

    const runWith = (place: number): Run | undefined => {
      const name = all[place]
      return name === undefined ? undefined : (runs.find(({ names }) => names.has(name)) ?? begin(place))
    }

    return async (name, signal) => {
      const child = known.get(name)
      if (child !== undefined) return whole(child)
      lastSignal = signal
      const place = placeOf.get(name) ?? all.length
      let run = runWith(place)
      for (let tries = 0; run !== undefined && tries < mostTries; tries += 1) {
        runWith(run.end)
        const found = await takeFrom(run, name)
        if (found !== undefined) return whole(found)
        run = runWith(place)
      }
      const alone = await read(`${prefix}${name}/`, signal)
      if (alone !== undefined) keysEach = alone.keys
      return alone?.listing
    }
  }

  return async (prefix, signal) => (await read(prefix, signal))?.listing
}

export const subtrees = (store: Store): Subtrees => {
  const childrenOf = new WeakMap<Listing.Listing, ListChild>()
  return {
    list: (prefix, signal) => newWalk(store, childrenOf)(prefix, signal),
    listIn: async (parent, name, signal) => childrenOf.get(parent)?.(name, signal),
  }
}
