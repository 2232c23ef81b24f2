import * as E from 'fp-ts/lib/Either.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import { everyProblem, problemsOf, variable, wholeNumber } from '../src/Installation.js'

const problems = <A, Output>(codec: t.Type<A, Output, unknown>, value: unknown) =>
  E.mapLeft(problemsOf)(codec.decode(value))

describe('a variable is text of a certain form', () => {
  const short = variable('Short', (text) => text.length < 3, 'must be short')

  it('is read as it is, and written as it was', () => {
    expect([short.name, short.decode('ab'), short.encode('ab')]).toStrictEqual(['Short', E.right('ab'), 'ab'])
    expect([short.is('ab'), short.is(1)]).toStrictEqual([true, false])
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

  it('has its name and message, and is written as it was', () => {
    expect([number.name, number.encode(7), number.is(7), number.is('7')]).toStrictEqual(['Number', '7', true, false])
    expect(problems(number, '4')).toStrictEqual(E.left(['the environment must be from 5 to 20']))
  })

  it.each([
    [number, ['5', '6', '19', '20'], ['0', '4', '21', '100']],
    [any, ['0', '1', '9', '10', '9007199254740991'], ['9007199254740992']],
    [any, [], ['', ' 7', '7 ', '7\n', '+7', '-7', '07', '00', '7.0', '7e1', '0x7', 'seven', '7a', 'a7', 7]],
  ])('%o is each of %j, and none of %j', (codec, numbers, others) => {
    for (const digits of numbers) expect(codec.decode(digits)).toStrictEqual(E.right(Number(digits)))
    expect(others.filter((u) => E.isRight(codec.decode(u)))).toEqual([])
  })
})

it('a problem is one sentence about one variable, or about the environment', () => {
  expect(problems(t.type({ CANOPY_X: t.string }), {})).toStrictEqual(E.left(['CANOPY_X cannot be read']))
  expect(problems(t.type({ CANOPY_X: t.string }), 'text')).toStrictEqual(E.left(['the environment cannot be read']))
})

it('what is read in parts is right when all parts are, and names every problem else', () => {
  const put = E.right((a: number) => a + 1)
  expect(everyProblem.ap(put, E.right(1))).toStrictEqual(E.right(2))
  expect(everyProblem.ap(E.left(['a']), E.left(['b', 'c']))).toStrictEqual(E.left(['a', 'b', 'c']))
})
