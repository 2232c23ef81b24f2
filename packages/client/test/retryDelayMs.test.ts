import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import type { Received } from '../src/exchange.js'
import { retryDelayMs } from '../src/retryDelayMs.js'
import { network } from '../src/TransportFailure.js'

const policy = { retries: 50, backOffMs: 100 }
const lost = E.left(network())

const received = (status: number, retryAfter: string | null = null): E.Either<never, Received> =>
  E.right({ status, retryAfter, link: null, bytes: new ArrayBuffer(0) })

describe('the wait before asking again', () => {
  it('doubles each time, up to ten seconds', () => {
    const waits = [0, 1, 2, 10, 49].map((attempt) => retryDelayMs(policy, attempt, 1, lost))
    expect(waits).toEqual([100, 200, 400, 10_000, 10_000].map(O.some))
  })

  it('may be asked for without end, also where there is no wait', () => {
    const endless = { retries: Number.POSITIVE_INFINITY, backOffMs: 0 }
    expect(retryDelayMs(endless, 5000, 1, lost)).toEqual(O.some(0))
    expect(retryDelayMs({ ...endless, backOffMs: 100 }, 5000, 1, lost)).toEqual(O.some(10_000))
  })

  it('is spread from its half to its whole', () => {
    expect([0, 0.5, 1].map((dice) => retryDelayMs(policy, 1, dice, lost))).toEqual([100, 150, 200].map(O.some))
  })

  it('begins after what Retry-After asks for', () => {
    expect(retryDelayMs(policy, 0, 1, received(503, '7'))).toEqual(O.some(7100))
  })

  it('is none when the attempts are used up', () => {
    expect(retryDelayMs({ ...policy, retries: 3 }, 3, 0, lost)).toEqual(O.none)
    expect(retryDelayMs({ ...policy, retries: Number.NaN }, 0, 0, lost)).toEqual(O.none)
    expect(retryDelayMs({ ...policy, retries: -1 }, 0, 0, lost)).toEqual(O.none)
  })

  it('is none when the answer would be the same', () => {
    expect([200, 400, 404, 500].map((status) => retryDelayMs(policy, 0, 0, received(status)))).toEqual(
      Array.from({ length: 4 }, () => O.none),
    )
  })
})
