import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import * as Variable from '../src/Variable.js'

const number = Variable.wholeNumber(5, 20, 'must be from 5 to 20')
const any = Variable.wholeNumber(0, Number.MAX_SAFE_INTEGER, 'must be a number')

it.each([
  [number, ['5', '6', '19', '20'], ['0', '4', '21', '100']],
  [any, ['0', '1', '9', '10', '9007199254740991'], ['9007199254740992']],
  [any, [], ['', ' 7', '7 ', '7\n', '+7', '-7', '07', '00', '7.0', '7e1', '0x7', 'seven', '7a', 'a7']],
])('a whole number has digits only, without leading zeros: %o accepts %j and refuses %j', (parse, numbers, others) => {
  for (const digits of numbers) expect(parse(digits)).toStrictEqual(E.right(Number(digits)))
  expect(others.filter((text) => E.isRight(parse(text)))).toEqual([])
})
