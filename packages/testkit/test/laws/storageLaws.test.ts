import { Area, type Entry, Failure, Listing, type ListOptions, type Name, StoragePath, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { flow } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { storageLaws, storageLawsWithin } from '../../src/laws/storageLaws.js'
import { type Break, seedBroken } from './brokenStorage.js'
import { type BrokenBy, misjudged } from './misjudged.js'

type Path = StoragePath.StoragePath
type Answer<A> = E.Either<Failure.OfStorage, A>

const nodeAt =
  (change: (answer: Answer<Entry.Node>, path: Path) => Answer<Entry.Node>): Break =>
  (ports) => ({ ...ports, nodeAt: (area, path) => async () => change(await ports.nodeAt(area, path)(), path) })

const list =
  (change: (answer: Answer<Listing.Listing>, path: Path) => Answer<Listing.Listing>): Break =>
  (ports) => ({
    ...ports,
    list: (area, path, options) => async () => change(await ports.list(area, path, options)(), path),
  })

const nodes = (change: (node: Entry.Node, path: Path) => Entry.Node): Break =>
  nodeAt((answer, path) => E.map((node: Entry.Node) => change(node, path))(answer))

const listings = (change: (listing: Listing.Listing) => Listing.Listing): Break => list(E.map(change))

const entries = (change: (entries: ReadonlyArray<Entry.Entry>) => ReadonlyArray<Entry.Entry>): Break =>
  listings((listing) => ({ ...listing, entries: change([...listing.entries]) }))

const failures = (change: (failure: Failure.OfStorage, path: Path) => Failure.OfStorage): Break => {
  const changed =
    <A>() =>
    (answer: Answer<A>, path: Path) =>
      E.mapLeft((failure: Failure.OfStorage) => change(failure, path))(answer)
  return flow(nodeAt(changed()), list(changed()))
}

const finds = (found: string): Break =>
  nodeAt((answer, path) =>
    path === found ? E.right({ type: 'file', size: U64.zero, last_modified: U64.zero }) : answer,
  )

const empty: Listing.Listing = { entries: [], unlistable: 0 }

/** Cuts pages out of the whole directory. */
const pages =
  (cut: (all: ReadonlyArray<Entry.Entry>, start: number, minEntries: number) => readonly [number, number]): Break =>
  (ports) => ({
    ...ports,
    list: (area, path, { after, minEntries = 1_000 } = {}) =>
      TE.map((listing: Listing.Listing) => {
        const all = [...listing.entries]
        const start = after === undefined ? 0 : Listing.indexAfter(all, after)
        const [from, to] = cut(all, start, minEntries)
        return { ...listing, entries: all.slice(from, to), next: to < all.length ? all.at(to - 1)?.name : undefined }
      })(ports.list(area, path)),
  })

const emptyWhere = (error: Failure.OfStorage['error']): Break =>
  list((answer) => (E.isLeft(answer) && answer.left.error === error ? E.right(empty) : answer))

const failsToList = (isFailing: (entries: ReadonlyArray<Entry.Entry>) => boolean, failure: Failure.OfStorage): Break =>
  list(
    E.filterOrElse(
      ({ entries }) => !isFailing([...entries]),
      () => failure,
    ),
  )

/** Stores the area of a call in a shared variable. */
const sharingTheArea: Break = (ports) => {
  const last: { area?: Area.Area } = {}
  const afterAMoment =
    <A, Asked>(ask: (area: Area.Area, path: Path) => TE.TaskEither<Asked, A>) =>
    (area: Area.Area, path: Path): TE.TaskEither<Asked, A> =>
    async () => {
      last.area = area
      await Promise.resolve()
      return ask(last.area, path)()
    }
  return { nodeAt: afterAMoment(ports.nodeAt), list: afterAMoment(ports.list) }
}

/** Ends the calls of all clients when the first one leaves. */
const cancellingForAll: Break = (ports) => {
  let first: ListOptions['signal']
  return {
    ...ports,
    list: (area, path, options) => async () => {
      first ??= options?.signal
      const hadLeft = first?.aborted === true
      const listed = await ports.list(area, path, options)()
      return first?.aborted === true && !hadLeft ? E.left(Failure.external('cancelled')) : listed
    },
  }
}

const sortedBy = (compare: (x: Entry.Entry, y: Entry.Entry) => number) => entries((all) => [...all].sort(compare))

const objectKey = ({ name, type }: Entry.Entry) => Buffer.from(type === 'dir' ? `${name}/` : name)

const broken: BrokenBy<Break> = {
  // Sizes in blocks.
  'nodeAt gives the size of a file to the byte and its time to the second': nodes((node) =>
    node.type === 'file' ? { ...node, size: U64.clamp(((node.size + 511n) / 512n) * 512n) } : node,
  ),
  'nodeAt gives a directory as one, with its time to the second': nodes((node) =>
    node.type === 'dir' ? { ...node, last_modified: U64.zero } : node,
  ),
  'the root of an area is a directory': nodes((node, path) =>
    path === '/' ? { ...node, type: 'file', size: U64.zero } : node,
  ),
  'the root of an empty area is an empty directory': nodeAt(() => E.left(Failure.fileNotFound)),
  'a listing holds everything directly in the directory, and nothing else': entries((all) => all.slice(0, -1)),
  'sizes up to the largest are exact to the byte': nodes((node) =>
    node.type === 'file' ? { ...node, size: U64.clamp(BigInt.asUintN(32, node.size)) } : node,
  ),
  'a listing is whole, however many entries it has': entries((all) => all.slice(0, 1_000)),
  'entries of a listing are an array, or answer as one does': [
    entries((all) => Object.assign([...all], { at: (index: number) => all[index] })),
    entries((all) => {
      const walk = all[Symbol.iterator]()
      return Object.assign([...all], { [Symbol.iterator]: () => walk })
    }),
  ],
  'an area is where its location says': (ports) => ({
    ...ports,
    list: (area, ...asked) => ports.list({ ...area, location: Area.location('one') }, ...asked),
  }),
  'what is asked at once is answered as one after the other': sharingTheArea,
  'a listing is in byte order of the names': [
    sortedBy((x, y) => (x.name < y.name ? -1 : 1)),
    sortedBy((x, y) => Buffer.compare(objectKey(x), objectKey(y))),
  ],
  'a listing says of each entry what nodeAt says': entries((all) =>
    all.map((entry) => (entry.type === 'file' ? { ...entry, size: U64.zero } : entry)),
  ),
  'pages join to the whole directory': [
    pages((_, _start, minEntries) => [0, minEntries]),
    pages((_, start, minEntries) => [start, start + minEntries - 1]),
    pages((all, start, minEntries) =>
      start === 0 && all.length > minEntries ? [all.length - minEntries, all.length] : [start, all.length],
    ),
  ],
  '`parent` does not change a listing': (ports) => ({
    ...ports,
    list: (area, path, options = {}) =>
      TE.map((listing: Listing.Listing) =>
        options.parent === undefined ? listing : { ...listing, entries: [...listing.entries].slice(1) },
      )(ports.list(area, path, options)),
  }),
  'a cancelled listing changes no other one': cancellingForAll,
  'an empty directory lists nothing': failsToList(({ length }) => length === 0, Failure.fileNotFound),
  'a listing is a value: the same when asked for twice, and never changed': (ports) => {
    const shared: Array<Entry.Entry> = []
    return entries((all) => {
      shared.splice(0, shared.length, ...all)
      return shared
    })(ports)
  },
  'where nothing is, is `file not found`': finds('/A'),
  'below a missing name is `file not found`': failures((failure, path) =>
    path.startsWith('/missing/') ? Failure.typeMismatch : failure,
  ),
  'a path through a file is `type mismatch`': failures((failure) =>
    failure.error === 'type mismatch' ? Failure.fileNotFound : failure,
  ),
  'a listing of a file is `type mismatch`': emptyWhere('type mismatch'),
  'links do not exist': [finds('/to-b'), finds('/to-a/b')],
  'what is neither file nor directory does not exist': finds('/pipe'),
  'names that are not valid UTF-8 are left out and counted': [
    listings((listing) => ({ ...listing, unlistable: Math.min(listing.unlistable, 1) })),
    list(() => E.left(Failure.external('EILSEQ'))),
  ],
  'an area without a root is `external` at every path': emptyWhere('external'),
  '`external` has a cause': failures((failure) =>
    failure.error === 'external' ? Failure.external(undefined) : failure,
  ),
  'a node in a locked directory is `external`, or itself where nothing stops the storage': nodeAt((answer, path) =>
    path.startsWith('/locked/') ? E.left(Failure.fileNotFound) : answer,
  ),
  'a locked directory is `external`, or whole where nothing stops the storage; what is beside it can be read': [
    list((answer, path) => (path === '/locked' ? E.right(empty) : answer)),
    failsToList((all) => all.some(({ name }) => name === 'locked'), Failure.external('EACCES')),
  ],
  'a file has any legal name, to the byte': entries((all) =>
    all.map((entry) => ({ ...entry, name: entry.name.normalize('NFC') as Name.Name })),
  ),
  'a directory has any legal name, to the byte': list((answer, path) =>
    path.includes('\\') ? E.left(Failure.fileNotFound) : answer,
  ),
  'a node is found 250 levels down': list((answer, path) => {
    if (StoragePath.segments(path).length > 100) throw new RangeError('stack')
    return answer
  }),
}

it.each(storageLaws)('passes the reference and fails each broken storage: $name', async (law) => {
  expect(await misjudged(law, seedBroken, broken)).toEqual([])
})

it.each(storageLaws)('holds in a storage of pages: $name', async ({ violations }) => {
  expect(await violations(seedBroken((right) => right, 100))).toEqual([])
})

it('laws with a largest size find a storage that rounds sizes to doubles', async () => {
  const rounds = nodes((node) =>
    node.type === 'file' ? { ...node, size: U64.clamp(BigInt(Number(node.size))) } : node,
  )
  const laws = storageLawsWithin({ earliest: 0n, latest: 1n, largestSize: 2n ** 53n + 1n })
  const found = await Promise.all(laws.map(({ violations }) => violations(seedBroken(rounds))))
  expect(found.flat()).toEqual([expect.stringContaining('nodeAt "/largest" must be file of 9007199254740993 bytes')])
})
