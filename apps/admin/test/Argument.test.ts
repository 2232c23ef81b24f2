import { U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import * as Argument from '../src/Argument.js'

describe('a path on the command line', () => {
  it('may leave its leading slash out, and may have one trailing slash', () => {
    for (const text of ['photos/2026', '/photos/2026', 'photos/2026/', '/photos/2026/']) {
      expect(Argument.path(text)).toEqual(E.right('/photos/2026'))
    }
  })

  it('is / for the root', () => {
    expect(Argument.path('/')).toEqual(E.right('/'))
  })

  it('is plain text: nothing is decoded, trimmed or normalised', () => {
    expect(Argument.path('a%2Fb')).toEqual(E.right('/a%2Fb'))
    expect(Argument.path(' é e\u0301 ')).toEqual(E.right('/ é e\u0301 '))
  })

  it('is refused when it names nothing, also when it is empty, as an unset shell variable is', () => {
    for (const text of ['', '//', 'a//b', 'a//', '.', '../a', 'a/./b', 'x'.repeat(256), 'x/'.repeat(256)]) {
      expect(Argument.path(text)).toMatchObject({ left: { error: 'wrong usage', exit: 2 } })
    }
    expect(Argument.path('')).toMatchObject({ left: { suggestion: expect.stringContaining('write / for the root') } })
  })
})

describe('an account id on the command line', () => {
  it('is canonical decimal up to 2^64-1', () => {
    expect(Argument.userId('18446744073709551615')).toEqual(E.right(18_446_744_073_709_551_615n))
    for (const text of ['', '-1', '+1', '01', '1.0', 'demo', '18446744073709551616']) {
      expect(Argument.userId(text)).toMatchObject({ left: { error: 'wrong usage', exit: 2 } })
    }
  })
})

describe('a trigger id on the command line', () => {
  it('is not repeated where it is none: it may be a URL with one', () => {
    const given = 'http://127.0.0.1:8080/api/triggers/v1/peek/secret'
    expect(Argument.triggerId(given)).toMatchObject({ left: { error: 'wrong usage', exit: 2 } })
    expect(JSON.stringify(Argument.triggerId(given))).not.toContain('secret')
  })
})

const now = U64.clamp(1_800_000_000n)
const read = (text: string) => pipe(Argument.when(now)(text), E.map(Argument.toIso))

describe('a time on the command line', () => {
  it('is a span from now, in seconds, minutes, hours, days or weeks', () => {
    const seconds = { '1s': 1n, '90s': 90n, '5m': 300n, '12h': 43_200n, '30d': 2_592_000n, '2w': 1_209_600n }
    for (const [text, span] of Object.entries(seconds)) {
      expect(Argument.when(now)(text)).toEqual(E.right(now + span))
    }
  })

  it('is an ISO day, which begins at midnight UTC', () => {
    expect(read('2027-01-31')).toEqual(E.right('2027-01-31T00:00:00Z'))
    expect(read('2028-02-29')).toEqual(E.right('2028-02-29T00:00:00Z'))
  })

  it('is an ISO time with its zone, rounded down to the second', () => {
    expect(read('2027-01-31T12:00Z')).toEqual(E.right('2027-01-31T12:00:00Z'))
    expect(read('2027-01-31T12:00:59.999Z')).toEqual(E.right('2027-01-31T12:00:59Z'))
    expect(read('2027-01-31T12:00:00+05:30')).toEqual(E.right('2027-01-31T06:30:00Z'))
  })

  it('is nothing else, and the refusal says what to write', () => {
    const wrong = ['', '30', 'd', '30x', '-1d', '1.5h', '1d12h', 'tomorrow', '2027-02-30', '2027-13-01', '2027-1-1']
    const wrongTimes = ['2027-01-31T12:00:00', '2027-01-31T25:00:00Z', '2027-01-31 12:00:00Z']
    const tooFar = ['999999999999w', '+010000-01-01']
    for (const text of [...wrong, ...wrongTimes, ...tooFar]) {
      expect(Argument.when(now)(text)).toMatchObject({
        left: { error: 'wrong usage', exit: 2, suggestion: expect.stringContaining('give a span such as 12h or 30d') },
      })
    }
  })

  it('is not over already', () => {
    for (const text of ['0s', '0w', '2020-01-01', '1969-12-31', '0000-01-01', Argument.toIso(now)]) {
      expect(Argument.when(now)(text)).toMatchObject({
        left: { error: 'wrong usage', exit: 2, message: `"${text}" is over already` },
      })
    }
    expect(Argument.when(now)(Argument.toIso(U64.clamp(now + 1n)))).toEqual(E.right(now + 1n))
  })

  it('is over from its own second on; what never expires is never over', () => {
    expect(Argument.isPast(now, O.some(now))).toBe(true)
    expect(Argument.isPast(now, O.some(U64.clamp(now + 1n)))).toBe(false)
    expect(Argument.isPast(now, O.none)).toBe(false)
  })

  it('is shown to people with whether it is over', () => {
    expect(Argument.expiryOf(now, O.none)).toBe('never')
    expect(Argument.expiryOf(now, O.some(now))).toBe('2027-01-15T08:00:00Z (over)')
    expect(Argument.expiryOf(now, O.some(U64.clamp(now + 1n)))).toBe('2027-01-15T08:00:01Z')
  })

  it('is shown as the last second of the year 9999 when it lies beyond', () => {
    expect(Argument.toIso(U64.clamp(2n ** 64n))).toBe('9999-12-31T23:59:59Z')
  })
})
