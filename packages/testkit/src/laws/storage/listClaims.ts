import { type Failure, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type { WorldNode } from '../../World.js'
import { at, type StorageClaim, unless } from './StorageClaim.js'
import { listed, said, saidEntry, saidListing, saidName, saidNode } from './said.js'

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

/** `list` tells of exactly the files and directories among these, in byte order. */
export const lists = (text: string, nodes: ReadonlyArray<WorldNode>): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const answer = await ports.list(area, path)()
    return (
      E.isLeft(answer)
        ? [`fails with ${answer.left.error}`]
        : [
            ...differences(listed(nodes), Array.from(answer.right.entries, saidEntry)),
            ...unless(answer.right.unknown === undefined, 'must not tell of entries that it could not look at'),
          ]
    ).map((fault) => `list ${saidName(text)} ${fault}`)
  })

/** As `lists`, or it fails: never anything between. */
export const listsOrFails =
  (text: string, nodes: ReadonlyArray<WorldNode>, failure: Failure.OfStorage['error']): StorageClaim =>
  async (planted) => {
    const notListed = await lists(text, nodes)(planted)
    const notFailed = await listFails(text, failure)(planted)
    return notListed.length === 0 ? [] : notFailed
  }

/** One of these many names were left out because they are not valid UTF-8. */
export const countsUnlistable = (text: string, right: ReadonlyArray<number>): StorageClaim =>
  at(text, (path) => async ({ ports, area }) => {
    const found = said(saidUnlistable)(await ports.list(area, path)())
    const expected = right.map((unlistable) => saidUnlistable({ unlistable }))
    return unless(
      expected.includes(found),
      `list ${saidName(text)} must tell of ${expected.join(' or ')}, and tells ${found}`,
    )
  })

const saidUnlistable = ({ unlistable }: { readonly unlistable: number }): string => `${unlistable} unlistable`

/** Of each entry of the listing, `nodeAt` tells the same. */
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
