import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import * as AccountRow from '../../src/rows/AccountRow.js'
import { user } from '../values.js'
import { refusals } from './refusals.js'

const row = { id: '00000000000000000042', verified: 1, location: '42', mount_point: 0 }

describe('an account row', () => {
  it('is read from its columns', () => {
    expect(AccountRow.decode(row)).toStrictEqual(
      E.right({ id: 42n, verified: true, location: '42', mount_point: false }),
    )
    expect(AccountRow.decode({ ...row, verified: 0 })).toStrictEqual(
      E.right({ id: 42n, verified: false, location: '42', mount_point: false }),
    )
  })

  it.each([
    ['id', { id: '42' }],
    ['verified', { verified: true }],
    ['location', { location: null }],
    ['mount_point', { mount_point: null }],
  ])('with another %s was not written by Canopy', (column, wrong) => {
    expect(AccountRow.decode({ ...row, ...wrong })).toStrictEqual(
      E.left({
        error: 'external',
        cause: new Error(`the registry holds a value that Canopy does not write, in accounts.${column}`),
      }),
    )
  })

  it('gives the area of its account', () => {
    const areaOf = (wanted: object) => E.map(AccountRow.area)(AccountRow.decode(wanted))
    expect(areaOf(row)).toStrictEqual(E.right({ owner: user('42'), location: '42' }))
    expect(areaOf({ ...row, mount_point: 1 })).toStrictEqual(
      E.right({ owner: user('42'), location: '42', isMountPoint: true }),
    )
  })
})

describe('a flag is 0 or 1', () => {
  it('and back', () => {
    expect([0, 1].map(AccountRow.flag.decode)).toStrictEqual([E.right(false), E.right(true)])
    expect([false, true].map(AccountRow.flag.encode)).toStrictEqual([0, 1])
    expect(AccountRow.flag.is(true)).toBe(true)
    expect(AccountRow.flag.is(1)).toBe(false)
    expect(AccountRow.flag.name).toBe('Flag')
  })

  it.each([2, -1, '1', true, null])('not %j', (u) => {
    expect(refusals(AccountRow.flag, u)).toStrictEqual(['must be 0 or 1'])
  })
})

describe('a location is text', () => {
  it('and back', () => {
    expect(AccountRow.location.decode('a/b')).toStrictEqual(E.right('a/b'))
    expect(E.map(AccountRow.location.encode)(AccountRow.location.decode('a/b'))).toStrictEqual(E.right('a/b'))
    expect(AccountRow.location.is('a/b')).toBe(true)
    expect(AccountRow.location.is(7)).toBe(false)
    expect(AccountRow.location.name).toBe('AreaLocation')
  })

  it.each([7, null, undefined])('not %j', (u) => {
    expect(refusals(AccountRow.location, u)).toStrictEqual(['must be text'])
  })
})
