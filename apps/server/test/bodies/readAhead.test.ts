import { type Name, type Tree, U64 } from '@canopy/domain'
import * as T from 'fp-ts/lib/Task.js'
import { describe, expect, it } from 'vitest'
import { readAhead } from '../../src/bodies/tree.js'

const visibility = { inherited: true, visibility: 'public' } as const
const file: Tree.Child = { type: 'file', name: 'f' as Name.Name, size: U64.zero, last_modified: U64.zero, visibility }

/** So many directories, of which each holds as many nodes as is asked of it, and the order in which they are read. */
const walkOf = (count: number, nodesIn: (index: number) => number, between = 0) => {
  const begun: Array<number> = []
  const directories = Array.from({ length: count }, (_, index): Tree.Directory => {
    const found: Tree.Listed = { is: 'listed', children: [], most: nodesIn(index), admit: () => T.of(true) as never }
    return {
      type: 'dir',
      name: '',
      visibility,
      children: () => {
        begun.push(index)
        return Promise.resolve(found)
      },
    }
  })
  const files = Array.from({ length: between }, () => file)
  const children = readAhead([file, ...directories.flatMap((directory) => [directory, ...files]), undefined])
  return {
    begun: () => begun.length,
    inOrder: () => begun.every((index, at) => index === at),
    /** Comes to the next directory and asks for its children. */
    next: async () => {
      for (let { done, value } = children.next(); done !== true; { done, value } = children.next())
        if (value?.type === 'dir') return value.children()
      return undefined
    },
    rest: () => [...children],
  }
}

describe('the directories of a directory are read ahead of the writer', () => {
  it('a few at first; 64 when they are seen to be small, again when half of them are used up; each once', async () => {
    const { begun, inOrder, next, rest } = walkOf(100, () => 99)
    await next()
    expect(begun()).toBe(4)
    await next()
    const seen: Array<number> = []
    for (let index = 0; index < 50; index += 1) {
      await next()
      seen.push(begun())
    }
    expect(new Set(seen)).toEqual(new Set([65, 97]))
    rest()
    expect([begun(), inOrder()]).toEqual([100, true])
  })

  it('one by one once a large one was seen, however small the others are: what is read ahead is held in memory', async () => {
    const { begun, next } = walkOf(100, (index) => (index === 0 ? 100_000 : 1))
    await next()
    expect(begun()).toBe(4)
    for (let index = 1; index < 20; index += 1) await next()
    expect(begun()).toBe(20)
  })

  it('to the last one, and no further', async () => {
    const { begun, inOrder, next } = walkOf(7, () => 1)
    for (let index = 0; index < 7; index += 1) await next()
    expect([begun(), inOrder(), await next()]).toEqual([7, true, undefined])
  })

  it('no further than some hundred files: those between them may be very many', async () => {
    const { begun, next } = walkOf(1000, () => 1, 100)
    for (let index = 0; index < 5; index += 1) await next()
    expect(begun()).toBeLessThan(5 + 4)
  })

  it('and all children come in their order, also what is not shown', () => {
    expect(
      walkOf(2, () => 1, 1)
        .rest()
        .map((child) => child?.type),
    ).toEqual(['file', 'dir', 'file', 'dir', 'file', undefined])
  })
})
