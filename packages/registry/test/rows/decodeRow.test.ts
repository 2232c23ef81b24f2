import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { decodeRow } from '../../src/rows/decodeRow.js'

const decode = decodeRow('things', t.type({ a: t.string, b: t.array(t.number), c: t.union([t.string, t.number]) }))

const wrong = (columns: string) =>
  E.left({
    error: 'external',
    cause: new Error(`the registry holds a value that Canopy does not write, in ${columns}`),
  })

describe('a row that does not decode is external, and names table and columns only', () => {
  it('is what it holds when it decodes', () => {
    expect(decode({ a: '', b: [1], c: 2 })).toStrictEqual(E.right({ a: '', b: [1], c: 2 }))
  })

  it('names every column that is wrong, once', () => {
    expect(decode({ a: 'secret', b: ['secret'], c: 1 })).toStrictEqual(wrong('things.b'))
    expect(decode({ a: 1, b: ['secret', 'secret'], c: null })).toStrictEqual(wrong('things.a, things.b, things.c'))
  })

  it('names the row when that is none', () => {
    expect(decode('secret')).toStrictEqual(wrong('things.(row)'))
  })
})
