import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as Items from '../src/Items.js'
import * as Settings from '../src/Settings.js'
import * as Tree from '../src/Tree.js'
import * as View from '../src/View.js'
import { area, dir, file, page, requestFor, storageOf } from './support.js'
import { bounds, collected, owner } from './trees.js'

const invalid = [
  Number.NaN,
  -1,
  1.5,
  Number.NEGATIVE_INFINITY,
  '01',
  '1e3',
  ' 1',
  '1 ',
  '',
  '-1',
  '1.5',
  '+1',
  '0x1',
  'NaN',
  '1\n',
]
const hugeDigits = '9'.repeat(400)

describe('a limit of items', () => {
  it.each([...invalid, 0, '0'])('is refused by name: %j', (limit) => {
    expect(Items.bounds({ limit })).toStrictEqual(E.left('limit'))
  })

  it.each([1, 7, '1', '7', 2 ** 60])('is a whole number of at least 1: %j', (limit) => {
    expect(Items.bounds({ limit, after: 'a' })).toStrictEqual(
      E.right({ limit: O.some(Number(limit)), after: O.some('a') }),
    )
  })

  it('is absent by default, and so is the name to begin after', () => {
    expect(Items.bounds({})).toStrictEqual(E.right(Items.unbounded))
    expect(Items.bounds({ after: '' })).toStrictEqual(E.right({ limit: O.none, after: O.some('') }))
  })

  it.each([hugeDigits, '18446744073709551616'])('may exceed every directory: %s', async (limit) => {
    const request = requestFor(View.ofOwner(area, Settings.none), '/')
    const items = await Items.itemsAt(page({ limit }))(request)(storageOf([file('a'), file('b')], 1))()
    const all = E.isRight(items) ? await Items.collect(items.right)() : items
    expect(all).toMatchObject(E.right({ items: [{ name: 'a' }, { name: 'b' }], more: false }))
  })
})

describe('the bounds of a tree', () => {
  it.each(invalid)('are refused by name: a depth of %j', (depth) => {
    expect(Tree.bounds({ depth })).toStrictEqual(E.left('depth'))
  })

  it.each([Number.NaN, -1, 0, 1.5])('are refused by name: %d nodes', (nodes) => {
    expect(Tree.bounds({ depth: 1, nodes })).toStrictEqual(E.left('nodes'))
  })

  it('hold at least the requested node', () => {
    expect(Tree.bounds({ nodes: 0 })).toStrictEqual(E.left('nodes'))
    expect(Tree.bounds({ nodes: 1 })).toStrictEqual(E.right({ depth: O.none, nodes: 1, lines: O.none }))
  })

  it.each([0, '0', 3, '3'])('take a depth of at least 0: %j', (depth) => {
    expect(Tree.bounds({ depth, nodes: 5 })).toStrictEqual(
      E.right({ depth: O.some(Number(depth)), nodes: 5, lines: O.none }),
    )
  })

  it('are absent by default', () => {
    expect(Tree.bounds({})).toStrictEqual(E.right(Tree.unbounded))
  })

  it('may exceed every tree', async () => {
    const storage = storageOf([dir('a', dir('b', file('f')))])
    const whole = await collected('/', Tree.unbounded, owner, storage)
    expect(await collected('/', bounds({ depth: hugeDigits }), owner, storage)).toStrictEqual(whole)
  })
})
