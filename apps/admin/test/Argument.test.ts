import { U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as Argument from '../src/Argument.js'

const now = U64.clamp(1_800_000_000n)
const time = (text: string) => pipe(Argument.when(now)(text), E.map(Argument.toIso))

describe('an argument', () => {
  it.each<[string, (text: string) => E.Either<unknown, unknown>, Readonly<Record<string, unknown>>]>([
    [
      'path is plain text, whose first and last slash may be left out',
      Argument.path,
      { '/': '/', 'photos/2026': '/photos/2026', '/a/b/': '/a/b', 'a%2Fb': '/a%2Fb', ' é e\u0301 ': '/ é e\u0301 ' },
    ],
    ['account id is canonical decimal', Argument.userId, { '18446744073709551615': 18_446_744_073_709_551_615n }],
    [
      'time is a span from now',
      Argument.when(now),
      { '1s': now + 1n, '5m': now + 300n, '12h': now + 43_200n, '30d': now + 2_592_000n, '2w': now + 1_209_600n },
    ],
    [
      'time is an ISO day at midnight UTC, or an ISO time with its zone, in whole seconds',
      time,
      {
        '2027-01-31': '2027-01-31T00:00:00Z',
        '2028-02-29': '2028-02-29T00:00:00Z',
        '2027-01-31T12:00Z': '2027-01-31T12:00:00Z',
        '2027-01-31T12:00:59.999Z': '2027-01-31T12:00:59Z',
        '2027-01-31T12:00:00+05:30': '2027-01-31T06:30:00Z',
        '2027-01-15T08:00:01Z': '2027-01-15T08:00:01Z',
      },
    ],
  ])('that is a %s', (_, read, values) => {
    for (const [text, value] of Object.entries(values)) expect(read(text)).toEqual(E.right(value))
  })

  it.each<[string, (text: string) => E.Either<unknown, unknown>, ReadonlyArray<string>]>([
    ['is no path', Argument.path, ['', '//', 'a//b', 'a//', '.', '../a', 'a/./b', 'x'.repeat(256), 'x/'.repeat(256)]],
    ['is not an account ID', Argument.userId, ['', '-1', '+1', '01', '1.0', 'demo', '18446744073709551616']],
    [
      'invalid time',
      time,
      ['', '30', 'd', '30x', '-1d', '1.5h', '1d12h', 'tomorrow', '2027-02-30', '2027-13-01', '2027-1-1'],
    ],
    ['invalid time', time, ['2027-01-31T12:00:00', '2027-01-31T25:00:00Z', '2027-01-31 12:00:00Z']],
    ['is after the year 9999', time, ['999999999999w', '+010000-01-01']],
    ['is in the past', time, ['0s', '0w', '2020-01-01', '1969-12-31', '0000-01-01', Argument.toIso(now)]],
  ])('that %s is refused with a hint', (_, read, texts) => {
    for (const text of texts)
      expect(read(text)).toMatchObject({
        left: { error: 'invalid usage', exit: 2, hint: expect.stringMatching(/^(use|write) /) },
      })
  })

  it('that is not a trigger id is not repeated, because it may be a URL with one', () => {
    const given = 'http://127.0.0.1:8080/api/triggers/v1/peek/secret'
    expect(Argument.triggerId(given)).toMatchObject({ left: { error: 'invalid usage', exit: 2 } })
    expect(JSON.stringify(Argument.triggerId(given))).not.toContain('secret')
  })
})

it('an expiry has passed from its own second on', () => {
  const next = U64.clamp(now + 1n)
  const expiries = [O.some(now), O.some(next), O.none]
  expect(expiries.filter((expires) => Argument.isPast(now, expires))).toEqual([O.some(now)])
  expect(expiries.map((expires) => Argument.describeExpiry(now, expires))).toEqual([
    '2027-01-15T08:00:00Z (expired)',
    '2027-01-15T08:00:01Z',
    'never',
  ])
  expect(Argument.toIso(U64.clamp(2n ** 64n))).toBe('9999-12-31T23:59:59Z')
})
