import { type Listing, Name } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import pLimit from 'p-limit'
import { add, type Directory, emptyDirectory, listingOf } from './Directory.js'
import { beforeDirectory } from './keys.js'
import { pageKeys, type Store } from './store.js'

// A walk of a tree does not ask the store for each directory. One page of all levels tells the whole of a small subtree. A
// larger one is listed by its own level, and its directories are then read in runs: several neighbours by one page.

/** A run ends before its page does, as a rule: the key behind its last directory says that this is whole. */
const filling = 0.8
/** A run of directories that are larger than those before is given up after so many pages: they are read one by one. */
const mostPages = 3
/** Runs that are begun before a directory of theirs is asked for. */
const runsAhead = 2
/** Runs whose directories can still be asked for. Those that the asker may not see never are. */
const mostRuns = 8
/** Pages of all walks that are asked for at once: each is a megabyte or two until its keys are read. */
const pagesAtOnce = 6
/** A guess, where the first page has none to count. */
const keysOfDirectory = 20

type Names = ReadonlyArray<Name.Name>

/** The listing of a directory of the walk, by its name in the directory above; `undefined` where it has vanished. */
type ReadAlong = (name: Name.Name, gone?: AbortSignal) => Promise<Listing.Listing | undefined>

interface Run {
  readonly names: ReadonlySet<Name.Name>
  /** Where the next one begins among all directories. */
  readonly end: number
  /** Those that are whole. */
  readonly read: Promise<ReadonlyMap<Name.Name, Directory>>
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
  gone: AbortSignal | undefined,
): Promise<boolean> => {
  let isThere = false
  let asked = store.page({ prefix, oneLevel: true, after: O.toUndefined(after) }, gone)
  for (;;) {
    const { found, next } = await asked
    if (next !== undefined) asked = store.page({ prefix, oneLevel: true, token: next }, gone)
    for (const each of found) add(directory, each)
    isThere ||= found.length > 0
    if (next === undefined) return isThere
  }
}

/** Reads the directories of one walk. `prefix` is that of a directory, with its slash. */
export interface Subtrees {
  /** `undefined` where no key begins with the prefix. */
  readonly list: (prefix: string, gone?: AbortSignal) => Promise<Listing.Listing | undefined>
  /** A directory in one that was listed here; `undefined` where it is not there any more, or `parent` is of no walk. */
  readonly listIn: (parent: Listing.Listing, ...asked: Parameters<ReadAlong>) => ReturnType<ReadAlong>
}

export const subtrees = (unbound: Store): Subtrees => {
  const queue = pLimit(pagesAtOnce)
  const store: Pick<Store, 'page'> = { page: (...asked) => queue(() => unbound.page(...asked)) }
  const readAlong = new WeakMap<Listing.Listing, ReadAlong>()

  const listed = (directory: Directory, below: ReadAlong): Listing.Listing => {
    const listing = listingOf(directory)
    readAlong.set(listing, below)
    return listing
  }

  const whole = (directory: Directory): Listing.Listing =>
    listed(directory, async (name) => {
      const child = directory.below.get(name)
      return child && whole(child)
    })

  const list = async (prefix: string, gone?: AbortSignal): Promise<Listing.Listing | undefined> =>
    (await read(prefix, gone))?.listing

  /** Also how many keys its first page has. */
  const read = async (prefix: string, gone: AbortSignal | undefined) => {
    const { found, last, next } = await store.page({ prefix, oneLevel: false }, gone)
    if (found.length === 0) return undefined
    const directory = emptyDirectory()
    for (const each of found) add(directory, each)
    if (next === undefined) return { listing: whole(directory), keys: found.length }
    const known = new Map(directory.below)
    const keysBelow = found.filter(({ names }) => names.length > 1).length
    const keysEach = known.size === 0 ? keysOfDirectory : keysBelow / known.size
    // More keys may follow for the last one.
    const open = found.at(-1)?.names[0]
    if (open !== undefined) known.delete(open)
    await addLevel(store, directory, prefix, last, gone)
    return { listing: listed(directory, inRuns(prefix, directory, known, keysEach)), keys: found.length }
  }

  const inRuns = (
    prefix: string,
    directory: Directory,
    known: ReadonlyMap<Name.Name, Directory>,
    firstKeysEach: number,
  ): ReadAlong => {
    const all = directoriesIn(directory)
    const placeOf = new Map(all.map((name, place) => [name, place]))
    let runs: ReadonlyArray<Run> = []
    let keysEach = firstKeysEach

    const readRun = async (names: Names): Promise<ReadonlyMap<Name.Name, Directory>> => {
      const run = emptyDirectory()
      const lastName = names.at(-1)
      let keys = 0
      let reached: Name.Name | undefined
      let token: string | undefined
      for (let pages = 0; pages < mostPages; pages += 1) {
        const from = token === undefined ? { after: beforeDirectory(`${prefix}${names[0]}`) } : { token }
        const { found, next } = await store.page({ prefix, oneLevel: false, ...from })
        for (const each of found) add(run, each)
        keys += found.length
        reached = next === undefined ? undefined : found.at(-1)?.names[0]
        const isPassed = lastName !== undefined && run.below.has(lastName) && reached !== lastName
        if (next === undefined || isPassed) break
        token = next
      }
      keysEach = keys / Math.max(1, run.below.size)
      if (reached !== undefined) run.below.delete(reached)
      return run.below
    }

    /** The run that begins at a place; none where its directories are so large that each is read by itself. */
    const begin = (place: number): Run | undefined => {
      const length = Math.floor((filling * pageKeys) / keysEach)
      const names = all.slice(place, place + length)
      if (names.length < 2) return undefined
      const run = { names: new Set(names), end: place + names.length, read: readRun(names) }
      // One that fails is heard of when it is asked for.
      run.read.catch(() => undefined)
      runs = [...runs.slice(1 - mostRuns), run]
      return run
    }

    const runWith = (place: number): Run | undefined => {
      const name = all[place]
      return name === undefined ? undefined : (runs.find(({ names }) => names.has(name)) ?? begin(place))
    }

    return async (name, gone) => {
      const child = known.get(name)
      if (child !== undefined) return whole(child)
      const run = runWith(placeOf.get(name) ?? all.length)
      for (let ahead = 0, next = run; next !== undefined && ahead < runsAhead; ahead += 1) next = runWith(next.end)
      const found = (await run?.read)?.get(name)
      if (found !== undefined) return whole(found)
      const alone = await read(`${prefix}${name}/`, gone)
      if (alone !== undefined && run === undefined) keysEach = alone.keys
      return alone?.listing
    }
  }

  return { list, listIn: async (parent, name, gone) => readAlong.get(parent)?.(name, gone) }
}
