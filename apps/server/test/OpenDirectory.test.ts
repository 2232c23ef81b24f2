import { type Name, Tree, type TreeNode, U64 } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { openDirectory, readAhead, tookNext } from '../src/OpenDirectory.js'

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

const walkOf = (count: number) => {
  const begun: Array<number> = []
  const children = Array.from(
    { length: count },
    (_, index): Tree.Child => ({
      type: 'dir',
      name: '',
      visibility,
      expand: TE.right(Tree.unexpanded),
      begin: () => {
        begun.push(index)
      },
    }),
  )
  const directory = openDirectory([files(1), ...children, files(1)])
  tookNext(directory)
  return {
    begun: () => begun.length,
    inOrder: () => begun.every((index, at) => index === at),
    /** Comes to the next directory, which then holds so many nodes. */
    take: (nodes: number) => {
      readAhead(directory)
      tookNext(directory, Tree.expanded([files(nodes)]))
    },
  }
}

describe('the directories of a directory are read ahead of the writer', () => {
  it('a few at first; 64 when they are seen to be small, again when half of them are used up', () => {
    const { begun, inOrder, take } = walkOf(100)
    const seen = Array.from({ length: 36 }, () => {
      take(99)
      return begun()
    })
    expect(seen).toEqual([4, ...Array.from({ length: 32 }, () => 65), 97, 97, 97])
    expect(inOrder()).toBe(true)
  })

  it('one by one once a large one was seen, however small the others are: what is read ahead is held in memory', () => {
    const { begun, take } = walkOf(100)
    take(100_000)
    expect(begun()).toBe(4)
    for (let index = 1; index < 20; index++) take(1)
    expect(begun()).toBe(20)
  })

  it('to the last one, and no further', () => {
    const { begun, inOrder, take } = walkOf(7)
    for (let index = 0; index < 7; index++) take(1)
    expect([begun(), inOrder()]).toEqual([7, true])
  })
})
