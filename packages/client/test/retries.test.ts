import { afterEach, describe, expect, it, vi } from 'vitest'
import { type CallOptions, client } from '../src/index.js'
import { secondsIn } from '../src/request.js'
import {
  against,
  answering,
  emptyTree,
  error,
  failureOf,
  inTurn,
  listingOf,
  nowhere,
  root,
  saying,
  visitor,
} from './answering.js'

const quick = { retries: 2, backOffMs: 1 }

describe('a retry', () => {
  it.each([
    ['on 503', saying(503, error('overloaded'))],
    ['on 429, after what Retry-After asks', saying(429, error('too many requests'), { 'Retry-After': '0' })],
    ['on external', saying(502, error('external'))],
    ['on 504 of a proxy', saying(504, '<html>')],
    [
      'when the connection breaks before an answer',
      (request: { readonly socket: { readonly destroy: () => void } }) => request.socket.destroy(),
    ],
  ])('follows %s', async (_, first) => {
    await against(
      inTurn(first, saying(200, emptyTree)),
      async (canopy, { targets }) => {
        expect(await canopy.userContentTree(visitor)).toMatchObject(root)
        expect(targets).toEqual(['/api/usercontent/v1/tree/id/1', '/api/usercontent/v1/tree/id/1'])
      },
      quick,
    )
  })

  it('follows an incomplete answer', async () => {
    await against(
      inTurn(
        (_, response) => {
          response.writeHead(200)
          response.write(emptyTree)
          setImmediate(() => response.destroy())
        },
        saying(200, emptyTree),
      ),
      async (canopy, { targets }) => {
        expect(await canopy.userContentTree(visitor)).toMatchObject(root)
        expect(targets.length).toBe(2)
      },
      quick,
    )
  })

  it('comes as often as the options say, and then the last answer counts', async () => {
    await against(
      inTurn(saying(503, error('overloaded')), saying(503, error('overloaded')), saying(502, error('external'))),
      async (canopy, { targets }) => {
        expect(await failureOf(canopy.userContentDirItems(visitor))).toEqual({ error: 'external' })
        expect(targets.length).toBe(3)
      },
      quick,
    )
  })

  it('comes twice by default, also when the options are `undefined`', async () => {
    const service = await answering(saying(503, error('overloaded')))
    for (const options of [{}, { retries: undefined, timeoutMs: undefined, fetch: undefined }]) {
      const call: CallOptions = { signal: undefined, timeoutMs: undefined }
      const canopy = client({ baseUrl: service.baseUrl, backOffMs: 1, ...options })
      expect(await failureOf(canopy.userContentTree({ ...visitor, depth: undefined }, call))).toEqual({
        error: 'overloaded',
        retryAfter: 0,
      })
    }
    await service.stop()
    expect(service.targets.length).toBe(6)
  })

  it('may come without end, also where there is no wait', async () => {
    await against(
      inTurn(...Array.from({ length: 1100 }, () => saying(503, '')), saying(200, emptyTree)),
      async (canopy) => {
        expect(await canopy.userContentTree(visitor)).toMatchObject(root)
      },
      { retries: Number.POSITIVE_INFINITY, backOffMs: 0, timeoutMs: Number.POSITIVE_INFINITY },
    )
  })

  it.each([
    [200, listingOf()],
    [400, error('bad request')],
    [403, error('permission denied')],
    [404, error('file not found')],
    [409, error('type mismatch')],
    [500, ''],
  ])('never follows %s', async (status, body) => {
    await against(
      saying(status, body),
      async (canopy, { targets }) => {
        await failureOf(canopy.userContentTree(visitor))
        expect(targets.length).toBe(1)
      },
      quick,
    )
  })
})

describe('the wait before a retry', () => {
  afterEach(() => {
    vi.useRealTimers()
    vi.restoreAllMocks()
  })

  /** When each attempt comes, in milliseconds after the first one. */
  const attemptsAt = async (
    answer: () => Response,
    options: object,
    random: number,
    forMs: number,
  ): Promise<ReadonlyArray<number>> => {
    vi.useFakeTimers()
    vi.spyOn(Math, 'random').mockReturnValue(random)
    const began = performance.now()
    const at: Array<number> = []
    const fetch = async () => {
      at.push(Math.round(performance.now() - began))
      return answer()
    }
    const call = failureOf(client({ baseUrl: nowhere, fetch, ...options }).userContentTree(visitor))
    await vi.advanceTimersByTimeAsync(forMs)
    await call
    return at
  }
  const busy = () => new Response('', { status: 503 })

  it('doubles each time, up to ten seconds', async () => {
    const options = { retries: 9, backOffMs: 1000, timeoutMs: 60_000 }
    expect(await attemptsAt(busy, options, 1, 60_000)).toEqual([
      0, 1000, 3000, 7000, 15_000, 25_000, 35_000, 45_000, 55_000,
    ])
  })

  it('is spread from its half to its whole', async () => {
    const options = { retries: 1, backOffMs: 1000 }
    expect(await attemptsAt(busy, options, 0, 2000)).toEqual([0, 500])
    expect(await attemptsAt(busy, options, 0.5, 2000)).toEqual([0, 750])
  })

  it('begins after what Retry-After asks for', async () => {
    const answer = () => new Response('', { status: 503, headers: { 'Retry-After': '7' } })
    expect(await attemptsAt(answer, { retries: 1, backOffMs: 100 }, 1, 8000)).toEqual([0, 7100])
  })

  it('leaves the call at once when it would outlast the call', async () => {
    await against(
      inTurn(saying(503, error('overloaded'), { 'Retry-After': '3600' }), saying(200, emptyTree)),
      async (canopy, { targets }) => {
        expect(await failureOf(canopy.userContentTree(visitor))).toEqual({ error: 'overloaded', retryAfter: 3600 })
        expect(targets.length).toBe(1)
      },
      { retries: 3, backOffMs: 1 },
    )
  })

  it('leaves the call at once when timers do not know so long a wait', async () => {
    await against(
      saying(503, error('overloaded'), { 'Retry-After': '31556952000' }),
      async (canopy, { targets }) => {
        expect(await failureOf(canopy.userContentTree(visitor))).toEqual({
          error: 'overloaded',
          retryAfter: 31_556_952_000,
        })
        expect(targets.length).toBe(1)
      },
      { ...quick, timeoutMs: Number.POSITIVE_INFINITY },
    )
  })
})

describe('Retry-After', () => {
  it.each([
    ['absent', null, 0],
    ['in seconds', '120', 120],
    ['of no wait', '0', 0],
    ['with blanks around it', '\t2 ', 2],
    ['a date with a blank behind it', 'Wed, 21 Oct 2015 07:28:00 GMT ', 0],
    ['blanks alone', ' ', 0],
    ['a date that is past', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['nonsense', 'soon', 0],
    ['negative', '-5', 0],
    ['no whole number', '1.5', 0],
    ['two numbers', '1, 2', 0],
    ['a date of another form', '2036-10-21', 0],
    ['huge', '9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('%s', (_, retryAfter, seconds) => {
    expect(secondsIn(retryAfter)).toBe(seconds)
  })

  it.each([
    ['of RFC 9110', 'Thu, 06 Nov 2036 08:49:37 GMT'],
    ['of RFC 850', 'Thursday, 06-Nov-36 08:49:37 GMT'],
    ['of asctime', 'Thu Nov  6 08:49:37 2036'],
  ])('may be a date in the form %s', (_, retryAfter) => {
    const seconds = (Date.UTC(2036, 10, 6, 8, 49, 37) - Date.now()) / 1000
    expect(Math.abs(secondsIn(retryAfter) - seconds)).toBeLessThan(10)
  })

  afterEach(() => void vi.useRealTimers())

  it.each([
    [2026, 'Saturday, 06-Nov-76 08:49:37 GMT', 2076],
    [2026, 'Sunday, 06-Nov-77 08:49:37 GMT', undefined],
    [2060, 'Thursday, 06-Nov-10 08:49:37 GMT', 2110],
    [2060, 'Tuesday, 06-Nov-59 08:49:37 GMT', undefined],
  ])('in the year %i of two digits, as in %s, is at most 50 years ahead', (year, retryAfter, ahead) => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(year, 0) })
    const seconds = ahead === undefined ? 0 : (Date.UTC(ahead, 10, 6, 8, 49, 37) - Date.now()) / 1000
    expect(secondsIn(retryAfter)).toBe(seconds)
  })

  it('is 0 when it has the form of a date and is none', () => {
    expect(secondsIn('Xyz, 99 Foo 2036 99:99:99 GMT')).toBe(0)
  })
})
