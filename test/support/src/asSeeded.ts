import { type Area, type Entry, type Failure, type Listing, StoragePath, U64 } from '@canopy/domain'
import type { WorldNode } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type SeededObjects, storedSize } from './seedObjects.js'

type Path = StoragePath.StoragePath
type Answer<A> = TE.TaskEither<Failure.OfStorage, A>

/** `nodeAt` and `list` of an adapter that is told of the walk of a tree, and of the last waiter's leaving. */
export interface ObjectPorts {
  readonly nodeAt: (area: Area.Area, path: Path) => Answer<Entry.Node>
  readonly list: (
    area: Area.Area,
    path: Path,
    parent?: Listing.Listing,
    waiting?: AbortSignal,
  ) => Answer<Listing.Listing>
}

type NodeAtPath = ReadonlyMap<string, WorldNode>

const byPath = (directory: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<[string, WorldNode]> =>
  nodes.flatMap((node) => {
    const path = `${directory}/${node.name}`
    return [[path, node], ...(node.type === 'dir' ? byPath(path, node.content) : [])]
  })

/** What was seeded, in place of what the store keeps of it. An answer that is wrong about what is stored stays as it is. */
const seededNode =
  ({ from, to }: SeededObjects, seeded: WorldNode | undefined) =>
  <N extends Entry.Node>(told: N): N => {
    if (told.type === 'dir')
      return seeded?.type === 'dir' && told.last_modified === 0n
        ? { ...told, last_modified: U64.clamp(seeded.last_modified) }
        : told
    const isRight =
      seeded?.type === 'file' &&
      told.size === storedSize(seeded.size) &&
      told.last_modified >= from &&
      // Swift rounds up.
      told.last_modified <= to + 1n
    return isRight ? { ...told, size: U64.clamp(seeded.size), last_modified: U64.clamp(seeded.last_modified) } : told
  }

/** The same questions of the adapter's own entries. */
const mapped = (entries: Listing.Entries, f: (entry: Entry.Entry) => Entry.Entry): Listing.Entries => ({
  get length() {
    return entries.length
  },
  at: (index) => pipe(O.fromNullable(entries.at(index)), O.map(f), O.toUndefined),
  // An iterator of an array is what the domain asks for.
  [Symbol.iterator]: () => Array.from(entries, f).values(),
})

/**
 * An adapter's answers about areas in an object store, with the sizes and times of the world that was seeded there, which no
 * store keeps. `areas` tells by an area's location what was seeded in it.
 */
export const asSeeded = (areas: ReadonlyMap<string, SeededObjects>, { nodeAt, list }: ObjectPorts): ObjectPorts => {
  const seededIn = (seeded: SeededObjects | undefined): ((path: string) => <N extends Entry.Node>(told: N) => N) => {
    if (seeded === undefined) return () => (told) => told
    const nodes: NodeAtPath = new Map(byPath('', seeded.nodes === 'missing' ? [] : seeded.nodes))
    return (path) => seededNode(seeded, nodes.get(path))
  }
  const known = new Map([...areas].map(([location, seeded]) => [location, seededIn(seeded)]))
  const inArea = ({ location }: Area.Area) => known.get(location) ?? seededIn(undefined)
  // What is given as the parent must be the adapter's own.
  const own = new WeakMap<Listing.Listing, Listing.Listing>()
  return {
    nodeAt: (area, path) =>
      pipe(
        nodeAt(area, path),
        TE.map((node) => inArea(area)(path)(node)),
      ),
    list: (area, path, parent, waiting) =>
      pipe(
        list(area, path, parent === undefined ? undefined : (own.get(parent) ?? parent), waiting),
        TE.map((listing) => {
          const directory = path === StoragePath.root ? '' : path
          const entries = mapped(listing.entries, (entry) => inArea(area)(`${directory}/${entry.name}`)(entry))
          const seeded = { ...listing, entries }
          own.set(seeded, listing)
          return seeded
        }),
      ),
  }
}
