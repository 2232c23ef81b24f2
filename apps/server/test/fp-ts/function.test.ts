import * as fc from 'fast-check'
import * as original from 'fp-ts/lib/function.js'
import { describe, expect, it } from 'vitest'

type IsDataFirst = (parameters: ArrayLike<unknown>) => boolean
type Dual = (arity: number | IsDataFirst, body: (...parameters: Array<unknown>) => unknown) => Dualled
type Dualled = (...parameters: Array<unknown>) => unknown

/** What a function of each kind gives for the same parameters, and what it gives when the data follows. */
const given = (dual: Dual, arity: number | IsDataFirst, parameters: Array<unknown>): unknown => {
  const tell = dual(arity, (...all) => ({ all }))
  const first = tell(...parameters)
  return typeof first === 'function' ? { later: first('data'), again: first('other data') } : { first }
}

interface FunctionModule {
  readonly dual: Dual
  readonly pipe: typeof original.pipe
}

// Its types leave this one out.
const { dual } = original as unknown as FunctionModule
const replaced: FunctionModule = await import(new URL('../../fp-ts/function.mjs', import.meta.url).href)

describe('the function module of fp-ts that the bundle has', () => {
  it('makes the same of a function that takes its data first or last', () => {
    const startsWithText: IsDataFirst = ({ 0: first }) => typeof first === 'string'
    fc.assert(
      fc.property(
        fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(startsWithText)),
        fc.array(fc.oneof(fc.string(), fc.integer()), { maxLength: 5 }),
        (arity, parameters) => {
          expect(given(replaced.dual, arity, parameters)).toEqual(given(dual, arity, parameters))
        },
      ),
    )
  })

  it('has all the others as they are', () => {
    expect(Object.keys(replaced).sort()).toEqual(Object.keys(original).sort())
    expect(replaced.pipe(1, String)).toBe('1')
  })
})
