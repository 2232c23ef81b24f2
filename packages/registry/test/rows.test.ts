import { Area, type Failure } from '@canopy/domain'
import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as Row from '../src/rows.js'
import { newToken, newTrigger, path, seconds, token, triggerValue, user } from './values.js'

describe('a padded u64', () => {
  it('is 20 digits, decodes to its number, and sorts like numbers', () => {
    expect(E.map(Row.padded)(Row.paddedU64.decode('00000000000000000007'))).toEqual(E.right('00000000000000000007'))
    fc.assert(
      fc.property(arbitraries.u64, arbitraries.u64, (x, y) => {
        expect(Row.paddedU64.decode(Row.padded(x))).toEqual(E.right(x))
        expect(Row.padded(x) < Row.padded(y)).toBe(x < y)
      }),
    )
  })
  const tooMuch = ['18446744073709551616', '99999999999999999999', '000000000000000000007']
  const noDigits = ['-0000000000000000001', '0000000000000000000a', ['00000000000000000007'], null]
  it.each(['7', '', 7, 7n, ...tooMuch, ...noDigits])('is never %s', (u) => {
    for (const codec of [Row.paddedU64, Row.paddedUserId]) expect(E.isLeft(codec.decode(u))).toBe(true)
  })
})

const account = { id: '00000000000000000042', name: null, verified: 1, location: '42', mount_point: 0, area_made: 0 }
const aToken = Row.tokenRow(newToken(user('42'), { scope: path('/a') }))
const trigger = { id: 'bell', value: '{"type":"bell"}', expires: null }

describe('a row has the fields of its value', () => {
  const ofRow = { id: user('42'), location: Area.location('42') }

  it.each([
    [account, { ...ofRow, name: O.none, verified: true, isMountPoint: false, areaMade: false }],
    [
      { ...account, name: 'ada', verified: 0, mount_point: 1, area_made: 1 },
      { ...ofRow, name: O.some('ada'), verified: false, isMountPoint: true, areaMade: true },
    ],
  ])('of an account: %j', (row, value) => {
    expect(Row.accountRow(value)).toStrictEqual(row)
    expect(Row.decodeAccount(row)).toStrictEqual(E.right(value))
  })

  const later = { expires: O.some(seconds(7)) }

  it('of a token', () => {
    const { token: secret, ...fields } = newToken(user('42'), { label: O.some('phone'), ...later })
    const row = { ...aToken, scope: '/', label: 'phone', expires: '00000000000000000007' }
    expect(Row.tokenRow({ token: secret, ...fields })).toStrictEqual(row)
    expect(Row.decodeToken(row)).toStrictEqual(E.right({ ...fields, tokenId: Row.tokenIdOf(secret) }))
  })

  it('of a trigger', () => {
    const value = newTrigger('bell', { value: triggerValue(trigger.value), ...later })
    const row = { ...trigger, expires: '00000000000000000007' }
    expect(Row.triggerRow(value)).toStrictEqual(row)
    expect(Row.decodeTrigger(row)).toStrictEqual(E.right(value))
  })
})

const setting = { path: '/a', visibility: 'public' }
const rule = { pattern: '.*', visibility: 'private' }

it.each([
  ['accounts.id', ['42', 42, null], account, Row.decodeAccount],
  ['accounts.name', [7, undefined], account, Row.decodeAccount],
  ['accounts.verified', [2, -1, '1', true, null], account, Row.decodeAccount],
  ['accounts.location', [7, null, undefined], account, Row.decodeAccount],
  ['accounts.mount_point', [2, null], account, Row.decodeAccount],
  ['accounts.area_made', ['0', null], account, Row.decodeAccount],
  ['tokens.sha256', [null], aToken, Row.decodeToken],
  ['tokens.account', ['42'], aToken, Row.decodeToken],
  ['tokens.scope', ['no path'], aToken, Row.decodeToken],
  ['tokens.expires', ['77'], aToken, Row.decodeToken],
  ['tokens.label', [7], aToken, Row.decodeToken],
  ['triggers.id', ['c/d'], trigger, Row.decodeTrigger],
  ['triggers.value', ['{}'], trigger, Row.decodeTrigger],
  ['triggers.expires', [7], trigger, Row.decodeTrigger],
  ['settings.visibility', ['secret'], setting, Row.decodeSetting],
  ['settings.path', ['a'], setting, Row.decodeSetting],
  ['rules.pattern', ['a/b', '', null], rule, Row.decodeRule],
  ['rules.visibility', ['public', null], rule, Row.decodeRule],
])('an invalid row is external, and names only table and columns: %s: %j', (column, values, row, decode) => {
  const cause = new Error(`the registry contains an invalid value in ${column}`)
  const [, name = ''] = column.split('.')
  expect(decode(row)).toMatchObject({ _tag: 'Right' })
  for (const value of values)
    expect(decode({ ...row, [name]: value })).toStrictEqual(E.left({ error: 'external', cause }))
})

it('an invalid row names each wrong column once, or the row', () => {
  const causeOf = (row: unknown) =>
    E.match(({ cause }: Failure.External) => String(cause), String)(Row.decodeAccount(row))
  expect(causeOf({ ...account, id: 7, name: 7 })).toMatch(/ in accounts\.id, accounts\.name$/)
  expect(causeOf(null)).toMatch(/ in accounts\.\(row\)$/)
})

it('the row of a token contains its hash in UTF-8 but not the token', () => {
  expect(Row.sha256Hex('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c')
  expect(Row.tokenIdOf(token(1))).toBe(aToken.sha256.slice(0, 16))
  expect(JSON.stringify(aToken)).not.toContain(token(1))
})
