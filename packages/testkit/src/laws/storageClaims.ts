import {
  type Area,
  type Entry,
  type Failure,
  type Listing,
  type ListOptions,
  listPages,
  Name,
  type StoragePath,
  U64,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { SeededStorage, WorldDirectory, WorldFile, WorldNode } from '../World.js'
import { type Claim, said, saidName } from './Law.js'

const saidU64 = (u: unknown): string => (U64.is(u) ? u.toString() : `${typeof u} ${String(u)}, which is no U64`)

const saidNode = (node: Entry.Node | WorldFile | WorldDirectory): string =>
  node.type === 'file'
    ? `file of ${saidU64(node.size)} bytes, last modified ${saidU64(node.last_modified)}`
    : `dir, last modified ${saidU64(node.last_modified)}`

const saidEntry = (entry: Entry.Entry | WorldFile | WorldDirectory): string =>
  `${saidName(entry.name)} (${saidNode(entry)})`

const saidListing = ({ entries, unlistable, unknown }: Listing.Listing): string =>
  `${[...entries].map(saidEntry).join(', ')}; ${unlistable} unlistable; unknown: ${unknown?.names.join(', ') ?? 'none'}`

/** What a listing of a directory with these nodes has: files and directories, in byte order. */
const listed = (nodes: ReadonlyArray<WorldNode>): ReadonlyArray<string> =>
  nodes
    .filter((node) => node.type === 'file' || node.type === 'dir')
    .sort((x, y) => Buffer.compare(Buffer.from(x.name), Buffer.from(y.name)))
    .map(saidEntry)

export type StorageClaim = Claim<SeededStorage>

const unless = (holds: boolean, violation: string): ReadonlyArray<string> => (holds ? [] : [violation])

// A path of a claim is spelled as in `StoragePath`.

const nodeAt = ({ ports, area }: SeededStorage, path: string) => ports.nodeAt(area, path as StoragePath.StoragePath)()
const pages = ({ ports, area }: SeededStorage, path: string, options?: ListOptions) =>
  listPages(area, path as StoragePath.StoragePath, options)(ports)()

/** A whole directory: one page as it is, several of them joined. */
const list = async (seeded: SeededStorage, path: string): Promise<E.Either<Failure.OfStorage, Listing.Listing>> =>
  pipe(
    await pages(seeded, path),
    E.map((all) => {
      const [first] = all
      if (first !== undefined && all.length === 1) return first
      const unknown = all.flatMap((page) => page.unknown ?? [])
      return {
        entries: all.flatMap(({ entries }) => [...entries]),
        unlistable: all.reduce((sum, { unlistable }) => sum + unlistable, 0),
        unknown: unknown[0] && { names: unknown.flatMap(({ names }) => names), cause: unknown[0].cause },
      }
    }),
  )

const ofArea =
  (what: string, areaOf: (seeded: SeededStorage) => Area.Area) =>
  (claim: StorageClaim): StorageClaim =>
  async (seeded) =>
    (await claim({ ...seeded, area: areaOf(seeded) })).map((violation) => `${what}: ${violation}`)

/** The same of the other area. */
export const inTheOther = ofArea('in the other area', ({ other }) => other)

/** The same of an area in the same place that belongs to another account. */
export const ofAnotherOwner = ofArea('of another owner', ({ area, other }) => ({ ...area, owner: other.owner }))

const nodeAtSays =
  (path: string, expected: string, isRight = (found: string) => found === expected): StorageClaim =>
  async (seeded) => {
    const found = said(saidNode)(await nodeAt(seeded, path))
    return unless(isRight(found), `nodeAt ${saidName(path)} must be ${expected}, and is ${found}`)
  }

/** Exactly this node, whatever its name. */
export const nodeAtIs = (path: string, node: WorldFile | WorldDirectory): StorageClaim =>
  nodeAtSays(path, saidNode(node))

/** This node, where one like it could be seeded at all. */
export const nodeAtIsIfThere = (path: string, node: WorldFile): StorageClaim =>
  nodeAtSays(path, saidNode(node), (found) => found === saidNode(node) || found === 'file not found')

/** A directory, last modified at any time. */
export const nodeAtIsADirectory = (path: string): StorageClaim =>
  nodeAtSays(path, 'a dir', (found) => found.startsWith('dir, '))

/** Both ports, at each of these paths. */
export const bothFail = (
  failure: Failure.OfStorage['error'],
  ...paths: ReadonlyArray<string>
): ReadonlyArray<StorageClaim> => paths.flatMap((path) => [nodeAtSays(path, failure), listFails(path, failure)])

export const listFails =
  (path: string, failure: Failure.OfStorage['error']): StorageClaim =>
  async (seeded) => {
    const found = said(saidListing)(await list(seeded, path))
    return unless(found === failure, `list ${saidName(path)} must be ${failure}, and is ${found}`)
  }

const differences = (expected: ReadonlyArray<string>, found: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [wanted, got] = [new Set(expected), new Set(found)]
  const faults = [
    ...expected.filter((entry) => !got.has(entry)).map((entry) => `lacks ${entry}`),
    ...found.filter((entry) => !wanted.has(entry)).map((entry) => `must not hold ${entry}`),
    ...unless(got.size === found.length, 'holds an entry twice'),
  ]
  const astray = found.find((entry, i) => entry !== expected[i])
  return faults.length > 0 || astray === undefined ? faults : [`is out of byte order at ${astray}`]
}

/**
 * `list` holds exactly the files and directories among these, in byte order, and counts one of these numbers of names that
 * were left out because they are not valid UTF-8.
 */
export const lists =
  (path: string, nodes: ReadonlyArray<WorldNode>, unlistable: ReadonlyArray<number> = [0]): StorageClaim =>
  async (seeded) => {
    const answer = await list(seeded, path)
    if (E.isLeft(answer)) return [`list ${saidName(path)} fails with ${answer.left.error}`]
    const { entries, unknown, unlistable: counted } = answer.right
    return [
      ...differences(listed(nodes), Array.from(entries, saidEntry)),
      ...unless(unknown === undefined, 'must not report entries that it could not look at'),
      ...unless(unlistable.includes(counted), `must count ${unlistable.join(' or ')} unlistable, and has ${counted}`),
    ].map((fault) => `list ${saidName(path)} ${fault}`)
  }

/** As `lists`, or it fails: never anything between. */
export const listsOrFails =
  (path: string, nodes: ReadonlyArray<WorldNode>, failure: Failure.OfStorage['error']): StorageClaim =>
  async (seeded) =>
    (await lists(path, nodes)(seeded)).length === 0 ? [] : listFails(path, failure)(seeded)

/** `nodeAt` says the same of each entry of the listing. */
export const listingAgreesWithNodeAt =
  (path: string): StorageClaim =>
  async (seeded) => {
    const answer = await list(seeded, path)
    const violations: Array<string> = []
    for (const entry of E.isLeft(answer) ? [] : answer.right.entries) {
      const found = said(saidNode)(await nodeAt(seeded, `${path === '/' ? '' : path}/${entry.name}`))
      violations.push(
        ...unless(
          found === saidNode(entry),
          `list ${saidName(path)} holds ${saidEntry(entry)}, of which nodeAt says ${found}`,
        ),
      )
    }
    return violations
  }

/** Its answer stays as it was while another directory is asked for, and is the same when asked for again. */
export const listingStays =
  (path: string, other: string): StorageClaim =>
  async (seeded) => {
    const first = await list(seeded, path)
    const before = said(saidListing)(first)
    await list(seeded, other)
    const after = said(saidListing)(first)
    const again = said(saidListing)(await list(seeded, path))
    return [
      ...unless(
        after === before,
        `a listing of ${saidName(path)} must not change when ${saidName(other)} is asked for`,
      ),
      ...unless(again === before, `list ${saidName(path)} must be the same again, and is ${again} after ${before}`),
    ]
  }

const saidOne = (entry: Entry.Entry | undefined): string => (entry === undefined ? 'nothing' : saidEntry(entry))

/** Its entries answer every question as an array of the same entries does. */
export const listsAsAnArrayDoes =
  (path: string): StorageClaim =>
  async (seeded) => {
    const answer = await list(seeded, path)
    if (E.isLeft(answer)) return [`list ${saidName(path)} fails with ${answer.left.error}`]
    const { entries } = answer.right
    const array = [...entries]
    const must = (holds: boolean, question: string) =>
      unless(holds, `the entries of ${saidName(path)} must answer ${question} as an array of them does`)
    // From both ends, and beyond them.
    const places = Array.from({ length: array.length + 2 }, (_, place) => [place, -place]).flat()
    return [
      ...must(entries.length === array.length, 'length'),
      ...must(
        places.every((place) => saidOne(entries.at(place)) === saidOne(array.at(place))),
        'at',
      ),
      // A second time, from its beginning.
      ...must([...entries].map(saidEntry).join() === array.map(saidEntry).join(), 'of a walk through all'),
    ]
  }

const namesOf = (listing: Listing.Listing): ReadonlyArray<string> => Array.from(listing.entries, ({ name }) => name)

/**
 * Pages of at least `minEntries` entries behind `after` join to the whole directory behind `after`; only the last page is
 * shorter.
 */
export const pagesJoin =
  (path: string, options: ListOptions): StorageClaim =>
  async (seeded) => {
    const [whole, paged] = [await list(seeded, path), await pages(seeded, path, options)]
    if (E.isLeft(whole) || E.isLeft(paged)) return [`list ${saidName(path)} fails`]
    const { after, minEntries = 1 } = options
    const isBehind = (name: string): boolean => after === undefined || Name.byBytes.compare(name, after) > 0
    const expected = namesOf(whole.right).filter(isBehind)
    const found = paged.right.flatMap(namesOf).filter(isBehind)
    const short = paged.right.slice(0, -1).find(({ entries }) => entries.length < minEntries)
    const described = `pages of ${saidName(path)} behind ${saidName(after ?? '')}`
    return [
      ...unless(
        found.join('\0') === expected.join('\0'),
        `${described} must join to the directory, and hold ${found.join()}`,
      ),
      ...unless(
        short === undefined,
        `${described} must have ${minEntries} entries, and one has ${short?.entries.length}`,
      ),
    ]
  }
