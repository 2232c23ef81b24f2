import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import {
  decodeAccount,
  decodeSettings,
  decodeToken,
  decodeTrigger,
  padded,
  paddedU64,
  paddedUserId,
  tokenIdOf,
  tokenRow,
} from '../src/rows.js'
import { newToken, path, token, user } from './values.js'

const wrong = (columns: string) =>
  E.left({
    error: 'external',
    cause: new Error(`the registry holds a value that Canopy does not write, in ${columns}`),
  })

describe('a padded u64', () => {
  it('comes back as the number it was', () => {
    fc.assert(
      fc.property(arbitraries.u64, (n) => {
        expect(paddedU64.decode(padded(n))).toEqual(E.right(n))
      }),
    )
  })
  it('sorts as numbers do', () => {
    fc.assert(
      fc.property(arbitraries.u64, arbitraries.u64, (x, y) => {
        expect(padded(x) < padded(y)).toBe(x < y)
      }),
    )
  })
  it.each([
    '7',
    '',
    '18446744073709551616',
    '99999999999999999999',
    '-0000000000000000001',
    '0000000000000000000a',
    '000000000000000000007',
    7,
    7n,
    ['00000000000000000007'],
    null,
  ])('is never %s', (u) => {
    for (const codec of [paddedU64, paddedUserId])
      expect(codec.decode(u)).toMatchObject({ left: [{ message: 'must be 20 digits, at most 2^64-1' }] })
  })
  it('is 20 digits', () => {
    expect(E.map(padded)(paddedU64.decode('00000000000000000007'))).toEqual(E.right('00000000000000000007'))
    expect([paddedU64.name, paddedUserId.name]).toEqual(['PaddedU64', 'PaddedUserId'])
  })
})

const account = { id: '00000000000000000042', name: null, verified: 1, location: '42', mount_point: 0, area_made: 0 }
const aToken = tokenRow(newToken(user('42'), { scope: path('/a') }))
const trigger = { id: 'bell', value: '{"type":"bell"}', expires: null }

describe('a row that does not decode is external, and names table and columns only', () => {
  it.each([
    ['accounts', 'id', ['42', 42, null], account, decodeAccount],
    ['accounts', 'name', [7, undefined], account, decodeAccount],
    ['accounts', 'verified', [2, -1, '1', true, null], account, decodeAccount],
    ['accounts', 'location', [7, null, undefined], account, decodeAccount],
    ['accounts', 'mount_point', [2, null], account, decodeAccount],
    ['accounts', 'area_made', ['0', null], account, decodeAccount],
    ['tokens', 'sha256', [null], aToken, decodeToken],
    ['tokens', 'account', ['42'], aToken, decodeToken],
    ['tokens', 'scope', ['no path'], aToken, decodeToken],
    ['tokens', 'expires', ['77'], aToken, decodeToken],
    ['tokens', 'label', [7], aToken, decodeToken],
    ['triggers', 'id', ['c/d'], trigger, decodeTrigger],
    ['triggers', 'value', ['{}'], trigger, decodeTrigger],
    ['triggers', 'expires', [7], trigger, decodeTrigger],
  ])('%s.%s: %j', (table, column, values, row, decode) => {
    expect(decode(row)).toMatchObject({ _tag: 'Right' })
    for (const value of values) expect(decode({ ...row, [column]: value })).toStrictEqual(wrong(`${table}.${column}`))
  })

  it('names the row when that is none', () => {
    expect(decodeTrigger('secret')).toStrictEqual(wrong('triggers.(row)'))
  })

  it('spoils all settings: with a gap they would show what was hidden', () => {
    const rows = [
      { path: '/', visibility: 'public' },
      { path: '/a', visibility: 'secret' },
    ]
    expect(decodeSettings(rows)).toStrictEqual(wrong('settings.visibility'))
    expect(decodeSettings([{ path: 'a', visibility: 'public' }])).toStrictEqual(wrong('settings.path'))
  })
})

it('the row of a token holds its hash, and not the token', () => {
  expect(tokenIdOf(token(1))).toBe(aToken.sha256.slice(0, 16))
  expect(JSON.stringify(aToken)).not.toContain(token(1))
})
