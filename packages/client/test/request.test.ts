import { getEventListeners, once } from 'node:events'
import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Client, createClient, toResult } from '../src/index.js'
import { parseRetryAfter, wait } from '../src/request.js'
import {
  beginResponse,
  clientWithFetch,
  cutResponse,
  emptyTree,
  error,
  failureOf,
  failureWithStub,
  hangUp,
  inSequence,
  neverRespond,
  nowhere,
  respond,
  root,
  type StubService,
  token,
  visitor,
  withStub,
} from './stubService.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const noResponse = (code: unknown) => ({ error: 'no response', code })

const inTime = { timeoutMs: 100 }
const [incomplete, timedOut] = [{ error: 'incomplete response' }, { error: 'timed out', timeoutMs: 100 }]

it.each<[string, RequestListener, failure: object, options?: object, call?: object]>([
  ['its connection ends before the response', hangUp, noResponse(expect.any(String))],
  ['its connection ends within a body with a length', cutResponse({ 'Content-Length': '1000' }), incomplete],
  ['its connection ends within a chunked body', cutResponse(), incomplete],
  ['no response comes in time', neverRespond, timedOut, inTime],
  ['a body does not end in time', beginResponse(), timedOut, inTime],
  ['its own time ends, whatever that of the client', neverRespond, timedOut, {}, inTime],
])('a call fails when %s', async (_, listener, failure, options, call) => {
  expect(await failureWithStub(listener, (canopy) => canopy.userContentTree(visitor, call), options)).toEqual(failure)
})

it.each([
  ['text', 'text', 'unknown'],
  ['a cause with a code', new Error('x', { cause: { code: 'UND_ERR_SOCKET' } }), 'UND_ERR_SOCKET'],
  ['its own code', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), 'ENOTFOUND'],
  ['another error', new Error('x'), 'Error'],
])('a fetch of the caller that throws %s fails with a code', async (_, thrown, code) => {
  const throwing = clientWithFetch(() => Promise.reject(thrown))
  expect(await failureOf(throwing.storageTree({ token, path: '/' }))).toEqual(noResponse(code))
})

it('a request accepts JSON without credentials, referrer or redirects, below the base URL', async () => {
  const asked: Array<readonly [string, RequestInit]> = []
  const fetch = async (...parameters: [string, RequestInit]) => {
    asked.push(parameters)
    return new Response(emptyTree)
  }
  expect(await createClient({ baseUrl: `${nowhere}/base/`, fetch }).userContentTree(visitor)).toMatchObject(root)
  expect(asked).toMatchObject([
    [
      `${nowhere}/base/api/usercontent/v1/tree/id/1`,
      {
        method: 'GET',
        headers: { Accept: 'application/json' },
        credentials: 'omit',
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
      },
    ],
  ])
})

const overloaded = respond(503, error('overloaded'))
const quick = { retries: 2, backOffMs: 1 }

describe('a retry', () => {
  it.each<[string, number, RequestListener]>([
    ['503', 2, overloaded],
    ['429 with Retry-After', 2, respond(429, error('too many requests'), { 'Retry-After': '0' })],
    ['external', 2, respond(502, error('external'))],
    ['504 of a proxy', 2, respond(504, '<html>')],
    ['a lost connection', 2, hangUp],
    ['an incomplete response', 2, cutResponse()],
    ['permission denied', 1, respond(403, error('permission denied'))],
    ['500', 1, respond(500, '')],
  ])('after %s: %i requests', async (_, requestCount, first) => {
    const use = async (canopy: Client, { targets }: StubService) => {
      const result = await toResult(canopy.userContentTree(visitor))
      expect(['value' in result, targets.length]).toEqual([requestCount > 1, requestCount])
      expect(new Set(targets)).toEqual(new Set(['/api/usercontent/v1/tree/id/1']))
    }
    await withStub(inSequence(first, respond(200, emptyTree)), use, quick)
  })

  it('comes twice by default; then the last response counts', async () => {
    const failing = inSequence(overloaded, overloaded, respond(502, error('external')))
    const retry = async (canopy: Client, { targets }: StubService) => {
      expect(await failureOf(canopy.userContentDirItems(visitor))).toEqual({ error: 'external' })
      expect(targets.length).toBe(3)
    }
    await withStub(failing, retry, { retries: undefined, backOffMs: 1 })
  })

  it('may be endless, without delay', async () => {
    const [count, endless] = [{ left: 1_100 }, Number.POSITIVE_INFINITY]
    const fetch = async () => {
      count.left -= 1
      return count.left < 0 ? new Response(emptyTree) : new Response('', { status: 503 })
    }
    const canopy = createClient({ baseUrl: nowhere, fetch, retries: endless, backOffMs: 0, timeoutMs: endless })
    expect(await canopy.userContentTree(visitor)).toMatchObject({ type: 'dir' })
  })
})

describe('the wait before a retry', () => {
  const whole = [0, 1000, 3000, 7000, 15_000, 25_000, 35_000, 45_000, 55_000]

  it.each<[string, object, number, Record<string, string>, ReadonlyArray<number>]>([
    ['doubles each time, up to ten seconds', { retries: 9, backOffMs: 1000, timeoutMs: 60_000 }, 1, {}, whole],
    ['begins at half of it', { retries: 1, backOffMs: 1000 }, 0, {}, [0, 500]],
    ['is random above that', { retries: 1, backOffMs: 1000 }, 0.5, {}, [0, 750]],
    ['begins after Retry-After', { retries: 1, backOffMs: 100 }, 1, { 'Retry-After': '7' }, [0, 7100]],
  ])('%s', async (_, options, random, headers, expected) => {
    vi.useFakeTimers()
    vi.spyOn(Math, 'random').mockReturnValue(random)
    const began = performance.now()
    const at: Array<number> = []
    const fetch = async () => {
      at.push(Math.round(performance.now() - began))
      return new Response('', { status: 503, headers })
    }
    const call = failureOf(createClient({ baseUrl: nowhere, fetch, ...options }).userContentTree(visitor))
    await vi.advanceTimersByTimeAsync(60_000)
    await call
    expect(at).toEqual(expected)
  })

  it('is skipped if the signal is already aborted', async () => {
    vi.useFakeTimers()
    const waited = wait(1000, AbortSignal.abort())
    expect(vi.getTimerCount()).toBe(0)
    await waited
  })

  it('shares one listener per signal with other waits', async () => {
    vi.useFakeTimers()
    const { signal } = new AbortController()
    const waits = Array.from({ length: 3 }, () => wait(1000, signal))
    expect(getEventListeners(signal, 'abort').length).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    await Promise.all(waits)
  })

  it.each([
    ['the delay would outlast the call', 3600, 1000],
    ['timers cannot wait so long', 31_556_952_000, Number.POSITIVE_INFINITY],
  ])('is skipped if %s', async (_, retryAfter, timeoutMs) => {
    await withStub(
      respond(503, error('overloaded'), { 'Retry-After': `${retryAfter}` }),
      async (canopy, { targets }) => {
        expect(await failureOf(canopy.userContentTree(visitor))).toEqual({ error: 'overloaded', retryAfter })
        expect(targets.length).toBe(1)
      },
      { ...quick, timeoutMs },
    )
  })
})

it.each([
  ['absent', null, 0],
  ['in seconds', '120', 120],
  ['a past date', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
  ['a date of RFC 9110', 'Thu, 06 Nov 2036 08:49:37 GMT', 37],
  ['nonsense', 'soon', 0],
  ['negative', '-5', 0],
  ['an invalid date', 'Xyz, 99 Foo 2036 99:99:99 GMT', 0],
  ['huge', '9'.repeat(400), Number.MAX_SAFE_INTEGER],
])('Retry-After, %s', (_, retryAfter, seconds) => {
  vi.useFakeTimers({ now: Date.UTC(2036, 10, 6, 8, 49) })
  expect(parseRetryAfter(retryAfter)).toBe(seconds)
})

const aborted = { error: 'aborted' }

describe('an AbortSignal', () => {
  it('that is already aborted prevents the request', async () => {
    await withStub(respond(200, emptyTree), async (canopy, { targets }) => {
      expect(await failureOf(canopy.userContentTree(visitor, { signal: AbortSignal.abort() }))).toEqual(aborted)
      expect(targets).toEqual([])
    })
  })

  it.each([
    ['the wait for a response', neverRespond],
    ['the reading of a body', beginResponse()],
  ])('ends %s, and closes the connection', async (_, listener) => {
    const controller = new AbortController()
    let closed: Promise<unknown> | undefined
    const abortLater: RequestListener = (request, response) => {
      closed = once(request.socket, 'close')
      listener(request, response)
      setTimeout(() => controller.abort(), 20)
    }
    await withStub(abortLater, async (canopy) => {
      expect(await failureOf(canopy.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
      await closed
    })
  })

  it('ends the wait for the next attempt', async () => {
    const controller = new AbortController()
    const abortAfter: RequestListener = (request, response) => {
      overloaded(request, response)
      response.once('close', () => controller.abort())
    }
    const call = (canopy: Client) => canopy.userContentTree(visitor, { signal: controller.signal })
    expect(await failureWithStub(abortAfter, call, { retries: 5, backOffMs: 20_000 })).toEqual(aborted)
  })

  it('ends a call whose fetch ignores the signal', async () => {
    const controller = new AbortController()
    const deaf = clientWithFetch(() => {
      setImmediate(() => controller.abort())
      return new Promise(() => {})
    })
    expect(await failureOf(deaf.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
  })
})

it('a finished call leaves no timer, so a program can end', async () => {
  vi.useFakeTimers()
  const answers = [async () => new Response(emptyTree), async () => Promise.reject(new Error('thrown'))]
  for (const answer of answers)
    await clientWithFetch(answer)
      .userContentTree(visitor)
      .catch(() => {})
  expect(vi.getTimerCount()).toBe(0)
})

it('a timeout longer than timers allow is no limit', async () => {
  vi.useFakeTimers()
  const later = () => new Promise((resolve) => setTimeout(() => resolve(new Response(emptyTree)), 1000))
  const call = clientWithFetch(later).userContentTree(visitor, { timeoutMs: 2 ** 32 })
  await vi.advanceTimersByTimeAsync(1000)
  expect(await call).toMatchObject(root)
})
