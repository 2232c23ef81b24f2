import { arbitraries } from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as t from 'io-ts'
import { describe, expect, it } from 'vitest'
import {
  accountRow,
  decodeAccount,
  decodeRow,
  decodeSettings,
  decodeToken,
  decodeTrigger,
  padded,
  paddedU64,
  paddedUserId,
  tokenIdOf,
  tokenRow,
  triggerRow,
} from '../src/rows.js'
import { newToken, newTrigger, path, seconds, token, user } from './values.js'

const wrong = (columns: string) =>
  E.left({
    error: 'external',
    cause: new Error(`the registry holds a value that Canopy does not write, in ${columns}`),
  })

describe('a row that does not decode is external, and names table and columns only', () => {
  const decode = decodeRow('things', t.type({ a: t.string, b: t.array(t.number), c: t.union([t.string, t.number]) }))

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

describe('an account', () => {
  const row = { id: '00000000000000000042', name: null, verified: 1, location: '42', mount_point: 0, area_made: 0 }
  const account = { id: 42n, name: O.none, verified: true, location: '42', isMountPoint: false, areaMade: false }

  it.each([
    [row, account],
    [
      { ...row, name: '', verified: 0 },
      { ...account, name: O.some(''), verified: false },
    ],
    [
      { ...row, mount_point: 1 },
      { ...account, isMountPoint: true },
    ],
    [
      { ...row, area_made: 1 },
      { ...account, areaMade: true },
    ],
  ])('is what its row holds, and back: %j', (columns, holds) => {
    expect(decodeAccount(columns)).toStrictEqual(E.right(holds))
    expect(E.map(accountRow)(decodeAccount(columns))).toStrictEqual(E.right(columns))
  })

  it('has no more than that', () => {
    expect(decodeAccount({ ...row, scope: '/' })).toStrictEqual(E.right(account))
  })

  it.each([
    ['id', ['42', 42, null]],
    ['name', [7, undefined]],
    ['verified', [2, -1, '1', true, null]],
    ['location', [7, null, undefined]],
    ['mount_point', [2, null]],
    ['area_made', ['0', null]],
  ])('whose %s is any of %j was not written by Canopy', (column, values) => {
    for (const u of values) expect(decodeAccount({ ...row, [column]: u })).toStrictEqual(wrong(`accounts.${column}`))
  })
})

describe('a token', () => {
  const sound = newToken(user('42'), {
    scope: path('/a'),
    expires: O.some(seconds(7)),
    label: O.some('phone'),
  })

  it('is what its row holds, without the token', () => {
    const { token: secret, ...kept } = sound
    expect(tokenIdOf(secret)).toMatch(/^[0-9a-f]{16}$/)
    expect(decodeToken(tokenRow(sound))).toStrictEqual(E.right({ tokenId: tokenIdOf(secret), ...kept }))
    expect(JSON.stringify(tokenRow(sound))).not.toContain(secret)
  })

  it('never expires, and has no label, where they are NULL', () => {
    const row = tokenRow(newToken(user('42'), { token: token(2) }))
    expect([row.expires, row.label]).toEqual([null, null])
    expect(decodeToken(row)).toMatchObject({ right: { expires: O.none, label: O.none } })
  })

  it.each([
    ['sha256', null],
    ['account', '42'],
    ['scope', 'no path'],
    ['expires', '77'],
    ['label', 7],
  ])('with another %s was not written by Canopy', (column, u) => {
    expect(decodeToken({ ...tokenRow(sound), [column]: u })).toStrictEqual(wrong(`tokens.${column}`))
  })
})

describe('the settings of an area', () => {
  it('are every row', () => {
    const rows = [
      { path: '/', visibility: 'hidden' },
      { path: '/a/b', visibility: 'public' },
    ]
    expect(decodeSettings([])).toStrictEqual(E.right([]))
    expect(decodeSettings(rows)).toStrictEqual(E.right(rows))
  })

  it('are all of them or none: with a gap they would show what was hidden', () => {
    expect(
      decodeSettings([
        { path: '/', visibility: 'public' },
        { path: '/a', visibility: 'secret' },
      ]),
    ).toStrictEqual(wrong('settings.visibility'))
    expect(decodeSettings([{ path: 'a', visibility: 'public' }])).toStrictEqual(wrong('settings.path'))
  })
})

describe('a trigger', () => {
  const row = { id: 'bell', value: '{"type":"bell"}', expires: null }

  it.each([
    ['and when it expires', newTrigger('t', { expires: O.some(seconds(7)) })],
    ['and never expires', newTrigger('t')],
  ])('is what its row holds, and back, %s', (_, trigger) => {
    expect(decodeTrigger(triggerRow(trigger))).toStrictEqual(E.right(trigger))
  })

  it.each([
    ['id', 'c/d'],
    ['value', '{}'],
    ['expires', 7],
  ])('with another %s was not written by Canopy', (column, u) => {
    expect(decodeTrigger({ ...row, [column]: u })).toStrictEqual(wrong(`triggers.${column}`))
  })
})
