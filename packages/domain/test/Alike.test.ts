import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as Alike from '../src/Alike.js'
import * as NodeVisibility from '../src/NodeVisibility.js'
import { name, u64 } from './literals.js'

const entries = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ type: 'dir', name: name(`${at}`), last_modified: u64(1n) }) as const)

const visibility = NodeVisibility.own('public')

const many = fc.array(
  fc.integer({ min: 1, max: 4 }).map((count): Alike.Alike => ({ entries: entries(count), visibility })),
)

const allOf = (all: ReadonlyArray<Alike.Alike>) => all.flatMap((each) => [...each.entries])

describe('what is alike', () => {
  it('is as many entries as there are in all', () => {
    fc.assert(
      fc.property(many, (all) => {
        expect(Alike.count(all)).toBe(allOf(all).length)
      }),
    )
  })

  it('is cut after so many entries, and nothing empty is left of it', () => {
    fc.assert(
      fc.property(many, fc.integer({ min: 0, max: 20 }), (all, most) => {
        const taken = Alike.take(most)(all)
        expect(allOf(taken)).toStrictEqual(allOf(all).slice(0, most))
        expect(taken.every((each) => each.entries.length > 0 && each.visibility === visibility)).toBe(true)
      }),
    )
    expect(Alike.take(Number.POSITIVE_INFINITY)([{ entries: entries(3), visibility }])).toHaveLength(1)
  })
})
