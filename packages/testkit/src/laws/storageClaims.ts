import {
  type Area,
  type Entry,
  type Failure,
  Listing,
  type ListOptions,
  listPages,
  Name,
  type StoragePath,
  U64,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { SeededStorage, WorldDirectory, WorldFile, WorldNode } from '../World.js'
import { type Claim, describeResult, quoteName } from './Law.js'

const describeU64 = (u: unknown): string => (U64.is(u) ? u.toString() : `${typeof u} ${String(u)}, which is not a U64`)

const describeNode = (node: Entry.Node | WorldFile | WorldDirectory): string =>
  node.type === 'file'
    ? `file of ${describeU64(node.size)} bytes, last modified ${describeU64(node.last_modified)}`
    : `dir, last modified ${describeU64(node.last_modified)}`

const describeEntry = (entry: Entry.Entry | WorldFile | WorldDirectory): string =>
  `${quoteName(entry.name)} (${describeNode(entry)})`

const describeListing = ({ entries, unlistable, unknown }: Listing.Listing): string =>
  `${[...entries].map(describeEntry).join(', ')}; ${unlistable} unlistable; unknown: ${unknown?.names.join(', ') ?? 'none'}`

/** Returns the files and directories among these nodes, in byte order. */
const expectedEntries = (nodes: ReadonlyArray<WorldNode>): ReadonlyArray<string> =>
  nodes
    .filter((node) => node.type === 'file' || node.type === 'dir')
    .sort((x, y) => Buffer.compare(Buffer.from(x.name), Buffer.from(y.name)))
    .map(describeEntry)

export type StorageClaim = Claim<SeededStorage>

export const unless = (holds: boolean, violation: string): ReadonlyArray<string> => (holds ? [] : [violation])

// Claims write paths like `StoragePath`.

export const nodeAt = ({ ports, area }: SeededStorage, path: string) =>
  ports.nodeAt(area, path as StoragePath.StoragePath)()
export const page = ({ ports, area }: SeededStorage, path: string, options?: ListOptions) =>
  ports.list(area, path as StoragePath.StoragePath, options)()
const pages = ({ ports, area }: SeededStorage, path: string, options?: ListOptions) =>
  listPages(area, path as StoragePath.StoragePath, options)(ports)()

/** Returns all pages of a directory, joined. */
export const list = async (
  seeded: SeededStorage,
  path: string,
): Promise<E.Either<Failure.OfStorage, Listing.Listing>> =>
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

/** Checks a claim in the other area. */
export const inTheOther = ofArea('in the other area', ({ other }) => other)

/** Checks a claim in the same location, with another owner. */
export const ofAnotherOwner = ofArea('of another owner', ({ area, other }) => ({ ...area, owner: other.owner }))

const nodeAtSays =
  (path: string, expected: string, isRight = (found: string) => found === expected): StorageClaim =>
  async (seeded) => {
    const found = describeResult(describeNode)(await nodeAt(seeded, path))
    return unless(isRight(found), `nodeAt ${quoteName(path)} must be ${expected}, and is ${found}`)
  }

export const nodeAtIs = (path: string, node: WorldFile | WorldDirectory): StorageClaim =>
  nodeAtSays(path, describeNode(node))

/** Passes too if the storage could not seed the node. */
export const nodeAtIsIfThere = (path: string, node: WorldFile): StorageClaim =>
  nodeAtSays(path, describeNode(node), (found) => found === describeNode(node) || found === 'file not found')

/** Passes too if permissions stop the storage. */
export const nodeAtIsOrFails = (
  path: string,
  node: WorldFile | WorldDirectory,
  failure: Failure.OfStorage['error'],
): StorageClaim => nodeAtSays(path, describeNode(node), (found) => found === describeNode(node) || found === failure)

/** Ignores the time of the directory. */
export const nodeAtIsADirectory = (path: string): StorageClaim =>
  nodeAtSays(path, 'a dir', (found) => found.startsWith('dir, '))

/** Claims that both ports fail at each of these paths. */
export const bothFail = (
  failure: Failure.OfStorage['error'],
  ...paths: ReadonlyArray<string>
): ReadonlyArray<StorageClaim> => paths.flatMap((path) => [nodeAtSays(path, failure), listFails(path, failure)])

export const listFails =
  (path: string, failure: Failure.OfStorage['error']): StorageClaim =>
  async (seeded) => {
    const found = describeResult(describeListing)(await list(seeded, path))
    return unless(found === failure, `list ${quoteName(path)} must be ${failure}, and is ${found}`)
  }

const differences = (expected: ReadonlyArray<string>, found: ReadonlyArray<string>): ReadonlyArray<string> => {
  const [wanted, got] = [new Set(expected), new Set(found)]
  const faults = [
    ...expected.filter((entry) => !got.has(entry)).map((entry) => `lacks ${entry}`),
    ...found.filter((entry) => !wanted.has(entry)).map((entry) => `must not contain ${entry}`),
    ...unless(got.size === found.length, 'holds an entry twice'),
  ]
  const astray = found.find((entry, i) => entry !== expected[i])
  return faults.length > 0 || astray === undefined ? faults : [`is out of byte order at ${astray}`]
}

/**
 * `list` returns exactly the files and directories among these nodes, in byte order. Its count of names that are not UTF-8 is
 * one of `unlistable`.
 */
export const lists =
  (path: string, nodes: ReadonlyArray<WorldNode>, unlistable: ReadonlyArray<number> = [0]): StorageClaim =>
  async (seeded) => {
    const answer = await list(seeded, path)
    if (E.isLeft(answer)) return [`list ${quoteName(path)} fails with ${answer.left.error}`]
    const { entries, unknown, unlistable: counted } = answer.right
    return [
      ...differences(expectedEntries(nodes), Array.from(entries, describeEntry)),
      ...unless(unknown === undefined, 'must not report entries that it could not look at'),
      ...unless(unlistable.includes(counted), `must count ${unlistable.join(' or ')} unlistable, and has ${counted}`),
    ].map((fault) => `list ${quoteName(path)} ${fault}`)
  }

/** Claims that `list` returns either the complete listing or a failure. */
export const listsOrFails =
  (path: string, nodes: ReadonlyArray<WorldNode>, failure: Failure.OfStorage['error']): StorageClaim =>
  async (seeded) =>
    (await lists(path, nodes)(seeded)).length === 0 ? [] : listFails(path, failure)(seeded)

/** Claims that `nodeAt` returns the same for each entry of the listing. */
export const listingAgreesWithNodeAt =
  (path: string): StorageClaim =>
  async (seeded) => {
    const answer = await list(seeded, path)
    const violations: Array<string> = []
    for (const entry of E.isLeft(answer) ? [] : answer.right.entries) {
      const found = describeResult(describeNode)(await nodeAt(seeded, `${path === '/' ? '' : path}/${entry.name}`))
      violations.push(
        ...unless(
          found === describeNode(entry),
          `list ${quoteName(path)} holds ${describeEntry(entry)}, of which nodeAt says ${found}`,
        ),
      )
    }
    return violations
  }

/** Claims that a read of another directory does not change a listing, and that a second read returns the same. */
export const listingStays =
  (path: string, other: string): StorageClaim =>
  async (seeded) => {
    const first = await list(seeded, path)
    const before = describeResult(describeListing)(first)
    await list(seeded, other)
    const after = describeResult(describeListing)(first)
    const again = describeResult(describeListing)(await list(seeded, path))
    return [
      ...unless(
        after === before,
        `a listing of ${quoteName(path)} must not change when ${quoteName(other)} is asked for`,
      ),
      ...unless(again === before, `list ${quoteName(path)} must be the same again, and is ${again} after ${before}`),
    ]
  }

/** Claims that a listing is the same with the page of its parent directory, which is at `parentPath`. */
export const parentChangesNothing =
  (path: string, parentPath?: string): StorageClaim =>
  async (seeded) => {
    const parent = parentPath === undefined ? E.right(Listing.noParent) : await page(seeded, parentPath)
    if (E.isLeft(parent)) return [`list ${quoteName(parentPath ?? '')} fails with ${parent.left.error}`]
    const alone = describeResult(describeListing)(await page(seeded, path))
    const found = describeResult(describeListing)(await page(seeded, path, { parent: parent.right }))
    return unless(found === alone, `list ${quoteName(path)} with \`parent\` must be ${alone}, and is ${found}`)
  }

/** A client that has left ignores every result, also an error. */
const ignored = (): undefined => undefined

/** Claims that a client that leaves changes no listing of other clients. */
export const cancellationChangesNothing =
  (path: string): StorageClaim =>
  async (seeded) => {
    const client = new AbortController()
    const cancelled = () => page(seeded, path, { signal: client.signal }).catch(ignored)
    const both = Promise.all([cancelled(), page(seeded, path)])
    client.abort()
    const [, beside] = await both
    await cancelled()
    const [found, after] = [beside, await page(seeded, path)].map(describeResult(describeListing))
    const whole = describeResult(describeListing)(await page(seeded, path))
    return [
      ...unless(found === whole, `list ${quoteName(path)} beside a cancelled call must be ${whole}, and is ${found}`),
      ...unless(after === whole, `list ${quoteName(path)} after a cancelled call must be ${whole}, and is ${after}`),
    ]
  }

const hasCause = (answer: E.Either<Failure.OfStorage, unknown>): boolean =>
  E.isRight(answer) || answer.left.error !== 'external' || (answer.left.cause ?? undefined) !== undefined

/** Claims that both ports give the cause where they fail with `external`. */
export const externalHasACause =
  (path: string): StorageClaim =>
  async (seeded) => {
    const answers: ReadonlyArray<E.Either<Failure.OfStorage, unknown>> = [
      await nodeAt(seeded, path),
      await list(seeded, path),
    ]
    return unless(answers.every(hasCause), `external at ${quoteName(path)} must have a cause`)
  }

const describeOptional = (entry: Entry.Entry | undefined): string =>
  entry === undefined ? 'nothing' : describeEntry(entry)

/** Claims that the entries of a listing behave like an array. */
export const listsAsAnArrayDoes =
  (path: string): StorageClaim =>
  async (seeded) => {
    const answer = await list(seeded, path)
    if (E.isLeft(answer)) return [`list ${quoteName(path)} fails with ${answer.left.error}`]
    const { entries } = answer.right
    const array = [...entries]
    const must = (holds: boolean, question: string) =>
      unless(holds, `the entries of ${quoteName(path)} must answer ${question} as an array of them does`)
    // From both ends, and beyond them.
    const indexes = Array.from({ length: array.length + 2 }, (_, index) => [index, -index]).flat()
    return [
      ...must(entries.length === array.length, 'length'),
      ...must(
        indexes.every((index) => describeOptional(entries.at(index)) === describeOptional(array.at(index))),
        'at',
      ),
      // A second iteration starts at the beginning.
      ...must([...entries].map(describeEntry).join() === array.map(describeEntry).join(), 'of a walk through all'),
    ]
  }

const namesOf = (listing: Listing.Listing): ReadonlyArray<string> => Array.from(listing.entries, ({ name }) => name)

/**
 * Pages of at least `minEntries` entries after `after` join to all entries of the directory after it; only the last page is
 * shorter.
 */
export const pagesJoin =
  (path: string, options: ListOptions): StorageClaim =>
  async (seeded) => {
    const [whole, paged] = [await list(seeded, path), await pages(seeded, path, options)]
    if (E.isLeft(whole) || E.isLeft(paged)) return [`list ${quoteName(path)} fails`]
    const { after, minEntries = 1 } = options
    const isBehind = (name: string): boolean => after === undefined || Name.byBytes.compare(name, after) > 0
    const expected = namesOf(whole.right).filter(isBehind)
    const found = paged.right.flatMap(namesOf).filter(isBehind)
    const short = paged.right.slice(0, -1).find(({ entries }) => entries.length < minEntries)
    const described = `pages of ${quoteName(path)} after ${quoteName(after ?? '')}`
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
