import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { everyProblem, problemsOf, variable, wholeNumber } from '../src/Installation.js'

const problems = <A, Output>(codec: t.Type<A, Output, unknown>, value: unknown) =>
  E.mapLeft(problemsOf)(codec.decode(value))

describe('a variable is text of a certain form', () => {
  const short = variable('Short', (text) => text.length < 3, 'must be short')

  it('is read as it is, and written as it was', () => {
    expect(short.name).toBe('Short')
    expect(short.decode('ab')).toStrictEqual(E.right('ab'))
    expect(short.encode('ab')).toBe('ab')
    expect(short.is('ab')).toBe(true)
    expect(short.is(1)).toBe(false)
  })

  it.each(['abc', undefined, [], 1])('%j is refused, saying what to write', (u) => {
    expect(problems(t.type({ CANOPY_SHORT: short }), { CANOPY_SHORT: u })).toStrictEqual(
      E.left(['CANOPY_SHORT must be short']),
    )
  })
})

describe('a whole number is written in digits, without a sign or leading zeros', () => {
  const number = wholeNumber('Number', 5, 20, 'must be from 5 to 20')
  const any = wholeNumber('Any', 0, Number.MAX_SAFE_INTEGER, 'must be a number')

  it('has the name and the message that it is given', () => {
    expect(number.name).toBe('Number')
    expect(problems(number, '4')).toStrictEqual(E.left(['the environment must be from 5 to 20']))
  })

  it('is written as it was', () => {
    expect(number.encode(7)).toBe('7')
    expect([number.is(7), number.is('7')]).toStrictEqual([true, false])
  })

  it.each(['5', '6', '19', '20'])('from the least to the most: %s', (digits) => {
    expect(number.decode(digits)).toStrictEqual(E.right(Number(digits)))
  })

  it.each(['0', '4', '21', '100'])('not below the least or above the most: %s', (digits) => {
    expect(E.isLeft(number.decode(digits))).toBe(true)
  })

  it.each(['0', '1', '9', '10', '9007199254740991'])('%s is one', (digits) => {
    expect(any.decode(digits)).toStrictEqual(E.right(Number(digits)))
  })

  it.each([
    '',
    ' 7',
    '7 ',
    '7\n',
    '+7',
    '-7',
    '07',
    '00',
    '7.0',
    '7e1',
    '0x7',
    'seven',
    '7a',
    'a7',
    '9007199254740992',
    7,
  ])('%j is none', (u) => {
    expect(E.isLeft(any.decode(u))).toBe(true)
  })
})

describe('a problem is one sentence about one variable', () => {
  it('also when a codec says no more than that it cannot read it', () => {
    expect(problems(t.type({ CANOPY_X: t.string }), {})).toStrictEqual(E.left(['CANOPY_X cannot be read']))
  })

  it('and about the environment when that cannot be read', () => {
    expect(problems(t.type({ CANOPY_X: t.string }), 'text')).toStrictEqual(E.left(['the environment cannot be read']))
  })
})

describe('what is read in parts', () => {
  it('is right when all parts are, and tells of every problem else', () => {
    const put = E.right((a: number) => a + 1)
    expect(everyProblem.ap(put, E.right(1))).toStrictEqual(E.right(2))
    expect(everyProblem.ap(E.left(['a']), E.left(['b', 'c']))).toStrictEqual(E.left(['a', 'b', 'c']))
  })
})
