import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { malformed } from '../../src/http/Refusal.js'
import { pageOf, treeBounds } from '../../src/http/request.js'

const depth = (text: string) => treeBounds(9)(text)
const bounds = (levels: O.Option<number>) => E.right({ depth: levels, nodes: 9 })
const page = (limit: O.Option<number>, after: O.Option<string>) => E.right({ limit, after })

describe('a parameter of the query', () => {
  it.each([
    '',
    '&',
    'a=1',
    'Depth=1',
    'depth%20=1',
    'xdepth=1',
    '=1',
    '1',
    '%zz=1',
    'a=%zz',
    '%64%65%70%74%68%31=1',
    '%'.repeat(20),
  ])('is not in "%s": what is unknown is ignored', (text) => {
    expect(depth(text)).toStrictEqual(bounds(O.none))
  })

  it.each(['depth=2', 'a=1&depth=2', 'depth=2&a=1', '&depth=2&', '%zz=1&depth=2', 'de%70th=2', 'depth=%32'])(
    'is in "%s", in any spelling',
    (text) => {
      expect(depth(text)).toStrictEqual(bounds(O.some(2)))
    },
  )

  it.each(['depth=1&depth=2', 'depth=1&depth=1', 'depth&de%70th=1', 'depth=%zz', 'depth=%C3'])(
    'is malformed when it is given twice or its escapes are: "%s"',
    (text) => {
      expect(depth(text)).toStrictEqual(E.left(malformed('depth')))
    },
  )
})

describe('a number is written in digits, without a sign or leading zeros', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['10', 10],
    ['123', 123],
  ])('depth=%s', (digits, levels) => {
    expect(depth(`depth=${digits}`)).toStrictEqual(bounds(O.some(levels)))
  })

  it.each(['', '-1', '%2B1', '+1', '01', '00', '1.0', '1e3', '0x1', 'a', '1a', 'a1', '1=', '1%0A'])(
    'depth=%s is a bad request',
    (text) => {
      expect(depth(`depth=${text}`)).toStrictEqual(E.left(malformed('depth')))
    },
  )

  it('depth without a value is a bad request', () => {
    expect(depth('depth')).toStrictEqual(E.left(malformed('depth')))
  })
})

describe('limit and after ask for a page', () => {
  it('is the whole listing by default', () => {
    expect(pageOf('')).toStrictEqual(page(O.none, O.none))
  })

  it('limit is a number of items from 1', () => {
    expect(pageOf('limit=1')).toStrictEqual(page(O.some(1), O.none))
    expect(pageOf('limit=200')).toStrictEqual(page(O.some(200), O.none))
    expect(pageOf('limit=0')).toStrictEqual(E.left(malformed('limit')))
  })

  it.each([
    ['after=a', 'a'],
    ['after=a=b', 'a=b'],
    ['after==', '='],
    ['after=a+b', 'a b'],
    ['after=a+b+c', 'a b c'],
    ['after=a%2Bb%26c', 'a+b&c'],
    ['after=%252F', '%2F'],
    ['after=', ''],
    ['after', ''],
  ])('%s means the name %j', (text, name) => {
    expect(pageOf(text)).toStrictEqual(page(O.none, O.some(name)))
  })

  it('both at once', () => {
    expect(pageOf('after=b&limit=3')).toStrictEqual(page(O.some(3), O.some('b')))
  })

  it('one that is malformed is enough for a bad request, which names it, limit first', () => {
    expect(pageOf('limit=3&after=%zz')).toStrictEqual(E.left(malformed('after')))
    expect(pageOf('limit=x&after=a')).toStrictEqual(E.left(malformed('limit')))
    expect(pageOf('after=a&after=b')).toStrictEqual(E.left(malformed('after')))
    expect(pageOf('after=%zz&limit=x')).toStrictEqual(E.left(malformed('limit')))
  })
})
