import { afterEach, describe, expect, it, vi } from 'vitest'
import { retryAfterSeconds } from '../src/retryAfterSeconds.js'

describe('Retry-After', () => {
  it.each([
    ['absent', null, undefined],
    ['in seconds', '120', 120],
    ['of no wait', '0', 0],
    ['with blanks around it', '\t2 ', 2],
    ['a date with a blank behind it', 'Wed, 21 Oct 2015 07:28:00 GMT ', 0],
    ['blanks alone', ' ', undefined],
    ['a date that is past', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['nonsense', 'soon', undefined],
    ['negative', '-5', undefined],
    ['no whole number', '1.5', undefined],
    ['a date in words of another kind', '2015-10-21', undefined],
    ['beyond all bounds', '9'.repeat(30), Number.MAX_SAFE_INTEGER],
  ])('%s', (_, retryAfter, seconds) => {
    expect(retryAfterSeconds({ retryAfter })).toBe(seconds)
  })

  it('may be a date to come', () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
    expect(retryAfterSeconds({ retryAfter: inAnHour })).toBeGreaterThan(3000)
  })

  it.each([
    ['of RFC 850', 'Thursday, 06-Nov-36 08:49:37 GMT'],
    ['of asctime', 'Thu Nov  6 08:49:37 2036'],
  ])('may be a date in the old form %s', (_, retryAfter) => {
    const seconds = (Date.UTC(2036, 10, 6, 8, 49, 37) - Date.now()) / 1000
    expect(Math.abs((retryAfterSeconds({ retryAfter }) ?? 0) - seconds)).toBeLessThan(10)
  })

  it.each([
    [2026, 'Saturday, 06-Nov-76 08:49:37 GMT', 2076],
    [2026, 'Sunday, 06-Nov-77 08:49:37 GMT', undefined],
    [2060, 'Thursday, 06-Nov-10 08:49:37 GMT', 2110],
    [2060, 'Tuesday, 06-Nov-59 08:49:37 GMT', undefined],
  ])('in the year %i of two digits, as in %s, is at most 50 years ahead', (year, retryAfter, ahead) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(year, 0) })
    const seconds = ahead === undefined ? 0 : (Date.UTC(ahead, 10, 6, 8, 49, 37) - Date.now()) / 1000
    expect(retryAfterSeconds({ retryAfter })).toBe(seconds)
  })
  afterEach(() => void vi.useRealTimers())
})
