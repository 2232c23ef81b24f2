import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { nullable } from '../../src/rows/nullable.js'

const codec = nullable(t.string)

describe('nullable', () => {
  it.each([
    [null, O.none],
    ['', O.some('')],
    ['a', O.some('a')],
  ])('%j is %o, and back', (column, value) => {
    expect(codec.decode(column)).toEqual(E.right(value))
    expect(codec.encode(value)).toBe(column)
    expect(codec.is(value)).toBe(true)
  })
  it('has the name of its codec', () => {
    expect(codec.name).toBe('string or NULL')
  })
  it.each([null, 'None', { _tag: 'Some' }, { _tag: 'Some', value: 7 }, { value: 'a' }])(
    '%j is no option of text',
    (u) => {
      expect(codec.is(u)).toBe(false)
    },
  )
  it.each([undefined, 7, {}])('%j is neither NULL nor text', (column) => {
    expect(E.isLeft(codec.decode(column))).toBe(true)
    expect(codec.is(column)).toBe(false)
  })
})
