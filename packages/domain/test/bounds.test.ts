import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as Items from '../src/Items.js'
import * as Tree from '../src/Tree.js'

describe('depth, limit and nodes are whole numbers, the first two also in canonical decimal', () => {
  const numbers = [Number.NaN, -1, 1.5, Number.NEGATIVE_INFINITY]
  const texts = ['01', '1e3', ' 1', '1 ', '', '-1', '1.5', '+1', '0x1', 'NaN', '1\n']

  it.each([...numbers, ...texts])('never %j', (wrong) => {
    expect(Tree.bounds({ depth: wrong })).toStrictEqual(E.left('depth'))
    expect(Items.bounds({ limit: wrong })).toStrictEqual(E.left('limit'))
  })

  it.each(numbers)('never %d nodes', (nodes) => {
    expect(Tree.bounds({ nodes })).toStrictEqual(E.left('nodes'))
  })

  it.each([1, 7, '1', '7', 1e21])('such as %j', (number) => {
    const depth = O.some(Number(number))
    expect(Tree.bounds({ depth: number, nodes: 1 })).toStrictEqual(E.right({ ...Tree.unbounded, depth, nodes: 1 }))
    const limit = O.some(Number(number))
    expect(Items.bounds({ limit: number, after: 'a' })).toStrictEqual(E.right({ limit, after: O.some('a') }))
  })

  it('of at least 0, 1 and 1', () => {
    expect(Tree.bounds({ depth: '0' })).toStrictEqual(E.right({ ...Tree.unbounded, depth: O.some(0) }))
    expect(Items.bounds({ limit: '0' })).toStrictEqual(E.left('limit'))
    expect(Tree.bounds({ nodes: 0 })).toStrictEqual(E.left('nodes'))
  })

  it('or absent', () => {
    expect(Tree.bounds({})).toStrictEqual(E.right(Tree.unbounded))
    expect(Items.bounds({})).toStrictEqual(E.right(Items.unbounded))
    expect(Items.bounds({ after: '' })).toStrictEqual(E.right({ limit: O.none, after: O.some('') }))
  })
})
