import { type Name, Tree, type TreeNode, U64 } from '@canopy/domain'
import * as T from 'fp-ts/lib/Task.js'
import { describe, expect, it } from 'vitest'
import { nextChild, openDirectory, readAhead, tookNext } from '../../src/answer/OpenDirectory.js'
import { expanded } from './expanded.js'

const visibility = { inherited: true, visibility: 'public' } as const
const none = U64.zero

const files = (count: number): TreeNode.Files => ({
  type: 'files',
  files: Array.from({ length: count }, () => ({
    type: 'file',
    name: 'f' as Name.Name,
    size: none,
    last_modified: none,
  })),
  visibility,
})

const walkOf = (count: number, batch?: number) => {
  const begun: Array<number> = []
  const children = Array.from(
    { length: count },
    (_, index): Tree.Child => ({
      type: 'dir',
      name: '',
      visibility,
      expand: T.of(Tree.unexpanded),
      begin: () => {
        begun.push(index)
      },
    }),
  )
  const whole = expanded([files(1), ...children, files(1)], batch)
  const directory = openDirectory(whole.is === 'expanded' ? whole.children : expect.fail('nothing to open'))
  nextChild(directory)
  tookNext(directory)
  return {
    begun: () => begun.length,
    inOrder: () => begun.every((index, at) => index === at),
    /** Comes to the next directory, which then holds so many nodes. */
    take: (nodes: number) => {
      nextChild(directory)
      readAhead(directory)
      tookNext(directory, expanded([files(nodes)]))
    },
  }
}

describe('the directories of a directory are read ahead of the writer', () => {
  it.each([512, 100, 70])(
    'a few at first; 64 when they are seen to be small, again when half of them are used up: in batches of %s',
    (batch) => {
      const { begun, inOrder, take } = walkOf(100, batch)
      const seen = Array.from({ length: 36 }, () => {
        take(99)
        return begun()
      })
      expect(seen).toEqual([4, ...Array.from({ length: 32 }, () => 65), 97, 97, 97])
      expect(inOrder()).toBe(true)
    },
  )

  it('one by one once a large one was seen, however small the others are: what is read ahead is held in memory', () => {
    const { begun, take } = walkOf(100)
    take(100_000)
    expect(begun()).toBe(4)
    for (let index = 1; index < 20; index++) take(1)
    expect(begun()).toBe(20)
  })

  it.each([512, 3, 1])('to the last one, and no further: in batches of %s', (batch) => {
    const { begun, inOrder, take } = walkOf(7, batch)
    for (let index = 0; index < 7; index++) take(1)
    expect([begun(), inOrder()]).toEqual([7, true])
  })

  it('no further than a batch beyond those that are needed: the files between them may be very many', () => {
    const { begun, take } = walkOf(1000, 10)
    take(1)
    expect(begun()).toBe(4)
    take(1)
    expect(begun()).toBeLessThan(64)
  })
})
