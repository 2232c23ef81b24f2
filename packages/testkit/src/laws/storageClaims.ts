import { type Entry, type Failure, type Listing, StoragePath, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { SeededStorage, WorldDirectory, WorldFile, WorldNode } from '../World.js'
import { type Claim, unlessUnanswered } from './Law.js'

/** A name in ASCII, so that two names which look alike are distinguished. */
export const saidName = (name: string): string =>
  JSON.stringify(name).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const saidU64 = (u: unknown): string => (U64.is(u) ? u.toString() : `${typeof u} ${String(u)}, which is no U64`)

const saidNode = (node: Entry.Node | WorldFile | WorldDirectory): string =>
  node.type === 'file'
    ? `file of ${saidU64(node.size)} bytes, last modified ${saidU64(node.last_modified)}`
    : `dir, last modified ${saidU64(node.last_modified)}`

const saidEntry = (entry: Entry.Entry | WorldFile | WorldDirectory): string =>
  `${saidName(entry.name)} (${saidNode(entry)})`

const saidListing = ({ entries, unlistable, unknown }: Listing.Listing): string =>
  `${[...entries].map(saidEntry).join(', ')}; ${unlistable} unlistable; unknown: ${unknown?.names.join(', ') ?? 'none'}`

/** What a port answered: a failure by its name, anything else as `saidRight` says it. */
const said =
  <A>(saidRight: (a: A) => string) =>
  (answer: E.Either<Failure.Failure, A>): string =>
    pipe(
      answer,
      E.match(({ error }) => error, saidRight),
    )

/** What a listing of a directory with these nodes has: files and directories, in byte order. */
const listed = (nodes: ReadonlyArray<WorldNode>): ReadonlyArray<string> =>
  nodes
    .filter((node) => node.type === 'file' || node.type === 'dir')
    .sort((x, y) => Buffer.compare(Buffer.from(x.name), Buffer.from(y.name)))
    .map(saidEntry)

export type StorageClaim = Claim<SeededStorage>

const unless = (holds: boolean, violation: string): ReadonlyArray<string> => (holds ? [] : [violation])

const throwing = (text: string) =>
  unlessUnanswered((thrown) => `asked for ${saidName(text)}, a port must not throw ${String(thrown)}`)

/** A claim about one path, spelled as in `StoragePath`. */
const at = (text: string, claim: (path: StoragePath.StoragePath) => StorageClaim): StorageClaim =>
  pipe(
    StoragePath.fromString(text),
    O.match(
      (): StorageClaim => async () => [`the law itself is wrong: ${saidName(text)} is no storage path`],
      (path) => (seeded) => claim(path)(seeded).catch(throwing(text)),
    ),
  )

/** The same of the other area. */
export const inTheOther =
  (claim: StorageClaim): StorageClaim =>
  async (seeded) =>
    (await claim({ ...seeded, area: seeded.other })).map((violation) => `in the other area: ${violation}`)

/** The same of an area in the same place that belongs to another account. */
export const ofAnotherOwner =
  (claim: StorageClaim): StorageClaim =>
  async (seeded) =>
    (await claim({ ...seeded, area: { ...seeded.area, owner: seeded.other.owner } })).map(
      (violation) => `of another owner: ${violation}`,
    )

const nodeAtSays = (text: string, expected: string, isRight = (found: string) => found === expected): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const found = said(saidNode)(await ports.nodeAt(area, path)())
    return unless(isRight(found), `nodeAt ${saidName(text)} must be ${expected}, and is ${found}`)
  })

/** Exactly this node, whatever its name. */
export const nodeAtIs = (path: string, node: WorldFile | WorldDirectory): StorageClaim =>
  nodeAtSays(path, saidNode(node))

export const nodeAtFails = (path: string, failure: Failure.OfStorage['error']): StorageClaim =>
  nodeAtSays(path, failure)

/** This node, where one like it could be seeded at all. */
export const nodeAtIsIfThere = (path: string, node: WorldFile): StorageClaim =>
  nodeAtSays(path, saidNode(node), (found) => found === saidNode(node) || found === 'file not found')

/** A directory, last modified at any time. */
export const nodeAtIsADirectory = (path: string): StorageClaim =>
  nodeAtSays(path, 'a dir', (found) => found.startsWith('dir, '))

export const listFails = (text: string, failure: Failure.OfStorage['error']): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const found = said(saidListing)(await ports.list(area, path)())
    return unless(found === failure, `list ${saidName(text)} must be ${failure}, and is ${found}`)
  })

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

/** `list` holds exactly the files and directories among these, in byte order. */
export const lists = (text: string, nodes: ReadonlyArray<WorldNode>): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const answer = await ports.list(area, path)()
    return (
      E.isLeft(answer)
        ? [`fails with ${answer.left.error}`]
        : [
            ...differences(listed(nodes), Array.from(answer.right.entries, saidEntry)),
            ...unless(answer.right.unknown === undefined, 'must not report entries that it could not look at'),
          ]
    ).map((fault) => `list ${saidName(text)} ${fault}`)
  })

/** As `lists`, or it fails: never anything between. */
export const listsOrFails =
  (text: string, nodes: ReadonlyArray<WorldNode>, failure: Failure.OfStorage['error']): StorageClaim =>
  async (seeded) => {
    const notListed = await lists(text, nodes)(seeded)
    const notFailed = await listFails(text, failure)(seeded)
    return notListed.length === 0 ? [] : notFailed
  }

/** One of these many names were left out because they are not valid UTF-8. */
export const countsUnlistable = (text: string, right: ReadonlyArray<number>): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const found = said(({ unlistable }: Listing.Listing) => `${unlistable}`)(await ports.list(area, path)())
    const expected = right.map(String)
    return unless(
      expected.includes(found),
      `list ${saidName(text)} must count ${expected.join(' or ')} unlistable, and has ${found}`,
    )
  })

/** `nodeAt` says the same of each entry of the listing. */
export const listingAgreesWithNodeAt = (text: string): StorageClaim =>
  at(text, (directory) => async ({ ports, area }) => {
    const answer = await ports.list(area, directory)()
    const violations: Array<string> = []
    for (const entry of E.isLeft(answer) ? [] : answer.right.entries) {
      const path = StoragePath.child(directory, entry.name)
      const found = O.isNone(path) ? 'no path' : said(saidNode)(await ports.nodeAt(area, path.value)())
      violations.push(
        ...unless(
          found === saidNode(entry),
          `list ${saidName(text)} holds ${saidEntry(entry)}, of which nodeAt says ${found}`,
        ),
      )
    }
    return violations
  })

/** What it answered stays as it was while another directory is asked for. */
export const listingStays = (text: string, otherText: string): StorageClaim =>
  at(text, (path) =>
    at(otherText, (otherPath) => async ({ ports, area }) => {
      const first = await ports.list(area, path)()
      const before = said(saidListing)(first)
      await ports.list(area, otherPath)()
      return unless(
        said(saidListing)(first) === before,
        `a listing of ${saidName(text)} must not change when ${saidName(otherText)} is asked for`,
      )
    }),
  )

/** Asked twice, it answers the same, and the first answer stays as it was. */
export const listsTheSameTwice = (text: string): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const first = await ports.list(area, path)()
    const before = said(saidListing)(first)
    const second = said(saidListing)(await ports.list(area, path)())
    return [
      ...unless(second === before, `list ${saidName(text)} must be the same again, and is ${second} after ${before}`),
      ...unless(
        said(saidListing)(first) === before,
        `a listing of ${saidName(text)} must not change when another is asked for`,
      ),
    ]
  })

type Asked = readonly [question: string, ask: (entries: Listing.Entries) => unknown]

const saidOne = (entry: Entry.Entry | undefined): string => (entry === undefined ? 'nothing' : saidEntry(entry))

const saidAll = (entries: Listing.Entries): string => [...entries].map(saidEntry).join(', ')

/** Places at the ends, in the middle, and beyond the ends. */
const placesIn = (length: number): ReadonlyArray<number> => [
  ...new Set([0, 1, length >> 1, length - 1, length, length + 1].flatMap((place) => [place, -place])),
]

const questions = (length: number): ReadonlyArray<Asked> => [
  ['length', (entries) => entries.length],
  ...placesIn(length).map((place): Asked => [`at(${place})`, (entries) => saidOne(entries.at(place))]),
  // A second time, from its beginning.
  ['of a walk through all', saidAll],
]

/** Its entries answer every question as an array of the same entries does. */
export const listsAsAnArrayDoes = (text: string): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const answer = await ports.list(area, path)()
    if (E.isLeft(answer)) return [`list ${saidName(text)} fails with ${answer.left.error}`]
    const { entries } = answer.right
    const array = [...entries]
    return questions(array.length).flatMap(([question, ask]) =>
      unless(
        ask(entries) === ask(array),
        `the entries of ${saidName(text)} must answer ${question} as an array of them does`,
      ),
    )
  })
