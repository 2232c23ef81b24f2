import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as TriggerRow from '../../src/rows/TriggerRow.js'

const value = '{"type":"bell"}'

describe('a trigger row', () => {
  it('holds a value, and when it expires unless it never does', () => {
    expect(TriggerRow.decode({ value, expires: null })).toStrictEqual(
      E.right({ value: { type: 'bell', json: value }, expires: O.none }),
    )
    expect(TriggerRow.decode({ value, expires: '00000000000000000007' })).toStrictEqual(
      E.right({ value: { type: 'bell', json: value }, expires: O.some(7n) }),
    )
  })

  it.each([
    ['value', { value: '{}', expires: null }],
    ['expires', { value, expires: 7 }],
  ])('with another %s was not written by Canopy', (column, row) => {
    expect(TriggerRow.decode(row)).toStrictEqual(
      E.left({
        error: 'external',
        cause: new Error(`the registry holds a value that Canopy does not write, in triggers.${column}`),
      }),
    )
  })
})
