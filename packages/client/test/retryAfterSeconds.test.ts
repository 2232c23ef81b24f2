import { describe, expect, it } from 'vitest'
import { retryAfterSeconds } from '../src/retryAfterSeconds.js'

describe('Retry-After', () => {
  it.each([
    ['absent', null, undefined],
    ['in seconds', '120', 120],
    ['of no wait', '0', 0],
    ['a date that is past', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['nonsense', 'soon', undefined],
    ['negative', '-', undefined],
    ['beyond all bounds', '9'.repeat(30), undefined],
  ])('%s', (_, retryAfter, seconds) => {
    expect(retryAfterSeconds({ retryAfter })).toBe(seconds)
  })

  it('may be a date to come', () => {
    const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
    expect(retryAfterSeconds({ retryAfter: inAnHour })).toBeGreaterThan(3000)
  })
})
