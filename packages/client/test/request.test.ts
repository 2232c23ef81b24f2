import { getEventListeners } from 'node:events'
import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Client, createClient } from '../src/index.js'
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

describe('a connection', () => {
  it('that is refused fails with its code', async () => {
    const baseUrl = await withStub(neverRespond, async (_, service) => service.baseUrl)
    expect(await failureOf(createClient({ baseUrl, retries: 0 }).userContentTree(visitor))).toEqual(
      noResponse('ECONNREFUSED'),
    )
  })

  it.each([
    ['before the response', hangUp, noResponse(expect.any(String))],
    ['within a body with a length', cutResponse({ 'Content-Length': '1000' }), { error: 'incomplete response' }],
    ['within a chunked body', cutResponse(), { error: 'incomplete response' }],
  ])('that ends %s', async (_, listener, failure) => {
    expect(await failureWithStub(listener)).toEqual(failure)
  })
})

describe('a fetch of the caller', () => {
  it.each([
    ['text', 'text', 'unknown'],
    ['a cause with a code', new Error('x', { cause: { code: 'UND_ERR_SOCKET' } }), 'UND_ERR_SOCKET'],
    ['its own code', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), 'ENOTFOUND'],
    ['another error', new Error('x'), 'Error'],
  ])('that throws %s fails with a code', async (_, thrown, code) => {
    const throwing = clientWithFetch(() => Promise.reject(thrown))
    expect(await failureOf(throwing.storageTree({ token, path: '/' }))).toEqual(noResponse(code))
  })
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
  it.each<[string, RequestListener]>([
    ['on 503', overloaded],
    ['on 429 with Retry-After', respond(429, error('too many requests'), { 'Retry-After': '0' })],
    ['on external', respond(502, error('external'))],
    ['on 504 of a proxy', respond(504, '<html>')],
    ['a lost connection', hangUp],
    ['an incomplete response', cutResponse()],
  ])('follows %s', async (_, first) => {
    await withStub(
      inSequence(first, respond(200, emptyTree)),
      async (canopy, { targets }) => {
        expect(await canopy.userContentTree(visitor)).toMatchObject(root)
        expect(targets).toEqual(['/api/usercontent/v1/tree/id/1', '/api/usercontent/v1/tree/id/1'])
      },
      quick,
    )
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
    expect(await canopy.userContentTree(visitor)).toMatchObject(root)
  })

  it.each([
    [403, error('permission denied')],
    [404, error('file not found')],
    [500, ''],
  ])('never follows %s', async (status, body) => {
    await withStub(
      respond(status, body),
      async (canopy, { targets }) => {
        await failureOf(canopy.userContentTree(visitor))
        expect(targets.length).toBe(1)
      },
      quick,
    )
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

describe('Retry-After', () => {
  it.each([
    ['absent', null, 0],
    ['in seconds', '120', 120],
    ['a past date', 'Wed, 21 Oct 2015 07:28:00 GMT', 0],
    ['nonsense', 'soon', 0],
    ['negative', '-5', 0],
    ['an invalid date', 'Xyz, 99 Foo 2036 99:99:99 GMT', 0],
    ['huge', '9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('%s', (_, retryAfter, seconds) => {
    expect(parseRetryAfter(retryAfter)).toBe(seconds)
  })

  it('may be a date in the form of RFC 9110', () => {
    const seconds = (Date.UTC(2036, 10, 6, 8, 49, 37) - Date.now()) / 1000
    expect(Math.abs(parseRetryAfter('Thu, 06 Nov 2036 08:49:37 GMT') - seconds)).toBeLessThan(10)
  })
})

const aborted = { error: 'aborted' }

const promised = () => {
  let resolve: (value: string) => void = () => {}
  const promise = new Promise<string>((settle) => {
    resolve = settle
  })
  return { promise, resolve: (value: string) => resolve(value) }
}

describe('an AbortSignal', () => {
  it('that is already aborted prevents the request', async () => {
    await withStub(respond(200, emptyTree), async (canopy, { targets }) => {
      expect(await failureOf(canopy.userContentTree(visitor, { signal: AbortSignal.abort() }))).toEqual(aborted)
      expect(targets).toEqual([])
    })
  })

  it.each<[string, boolean, (abort: () => void) => RequestListener]>([
    ['the wait for a response', true, (abort) => abort],
    [
      'the reading of a body',
      true,
      (abort) => (request, response) => {
        beginResponse()(request, response)
        setTimeout(abort, 20)
      },
    ],
    [
      'the wait for the next attempt',
      false,
      (abort) => (request, response) => {
        overloaded(request, response)
        response.once('close', abort)
      },
    ],
  ])('ends %s, and closes the connection: %s', async (_, closes, listener) => {
    const controller = new AbortController()
    const { promise: closed, resolve } = promised()
    await withStub(
      (request, response) => {
        request.socket.once('close', () => resolve('closed'))
        listener(() => controller.abort())(request, response)
      },
      async (canopy, { targets }) => {
        expect(await failureOf(canopy.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
        expect(targets.length).toBe(1)
        expect(closes ? await closed : 'closed').toBe('closed')
      },
      { retries: 5, backOffMs: 20_000 },
    )
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

describe('a timeout', () => {
  it('longer than timers allow is no limit', async () => {
    vi.useFakeTimers()
    const { promise, resolve } = promised()
    const canopy = createClient({
      baseUrl: nowhere,
      timeoutMs: 2 ** 32,
      fetch: async () => new Response(await promise),
    })
    const answered = canopy.userContentTree(visitor)
    await vi.advanceTimersByTimeAsync(2 ** 31)
    resolve(emptyTree)
    expect(await answered).toMatchObject(root)
  })

  it.each<[string, RequestListener, object, object]>([
    ['ends a call without a response', neverRespond, { timeoutMs: 100 }, {}],
    ['ends a body that never ends', beginResponse(), { timeoutMs: 100 }, {}],
    ['of a call overrides that of the client', neverRespond, {}, { timeoutMs: 100 }],
  ])('%s', async (_, listener, options, call) => {
    const timedOut = { error: 'timed out', timeoutMs: 100 }
    expect(await failureWithStub(listener, (canopy) => canopy.userContentTree(visitor, call), options)).toEqual(
      timedOut,
    )
  })
})
