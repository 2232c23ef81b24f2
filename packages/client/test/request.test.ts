import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { client } from '../src/index.js'
import { secondsIn } from '../src/request.js'
import {
  against,
  beginning,
  breakingOff,
  emptyTree,
  error,
  failureAgainst,
  failureOf,
  hangingUp,
  inTurn,
  listingOf,
  nowhere,
  root,
  saying,
  silent,
  through,
  token,
  visitor,
} from './answering.js'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const noAnswer = (cause: unknown) => ({ error: 'no answer', cause })

describe('a connection', () => {
  it('that is refused brings no answer, and the code says why', async () => {
    const baseUrl = await against(silent, async (_, service) => service.baseUrl)
    expect(await failureOf(client({ baseUrl, retries: 0 }).userContentTree(visitor))).toEqual(noAnswer('ECONNREFUSED'))
  })

  it.each([
    ['before an answer brings none', hangingUp, noAnswer(expect.any(String))],
    ['inside a body with a length', breakingOff({ 'Content-Length': '1000' }), { error: 'incomplete answer' }],
    ['inside a body of chunks', breakingOff(), { error: 'incomplete answer' }],
  ])('that ends %s', async (_, listener, failure) => {
    expect(await failureAgainst(listener)).toEqual(failure)
  })
})

describe('a fetch of the caller', () => {
  const named = (name: string): Error => Object.assign(new Error('x'), { name })
  const coded = (code: unknown): Error => new Error('x', { cause: { code } })

  it.each([
    ['a message with the token', new Error(`no route to ${token}`), 'Error'],
    ['text', 'text', 'unknown'],
    ['nothing', undefined, 'unknown'],
    ['a cause with a code', coded('UND_ERR_SOCKET'), 'UND_ERR_SOCKET'],
    ['a code of its own', Object.assign(new Error('x'), { code: 'ENOTFOUND' }), 'ENOTFOUND'],
    ['the token as its code', coded(token), 'Error'],
    ['a code that holds the token', coded(`ECONNREFUSED ${token}`), 'Error'],
    ['the token as its name', named(token), 'unknown'],
    ['a code that is no text', coded(7), 'Error'],
  ])('that throws %s brings no answer, and a cause without secrets', async (_, thrown, cause) => {
    const throwing = through(() => {
      throw thrown
    })
    expect(await failureOf(throwing.storageTree({ token, path: '/' }))).toEqual(noAnswer(cause))
  })

  it('that repeats the trigger id as a word brings no cause', async () => {
    const throwing = through(() => Promise.reject(named('Sesame')))
    expect(await failureOf(throwing.triggerPeek({ id: 'Sesame' }))).toEqual(noAnswer('unknown'))
  })
})

it('a request asks for JSON without credentials, referrer or redirects, under the path of the base URL', async () => {
  const asked: Array<readonly [string, RequestInit]> = []
  const fetch = async (...parameters: [string, RequestInit]) => {
    asked.push(parameters)
    return new Response(emptyTree)
  }
  expect(await client({ baseUrl: `${nowhere}/base/`, fetch }).userContentTree(visitor)).toMatchObject(root)
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

const overloaded = saying(503, error('overloaded'))
const quick = { retries: 2, backOffMs: 1 }

describe('a retry', () => {
  it.each<[string, RequestListener]>([
    ['on 503', overloaded],
    ['on 429, after what Retry-After asks', saying(429, error('too many requests'), { 'Retry-After': '0' })],
    ['on external', saying(502, error('external'))],
    ['on 504 of a proxy', saying(504, '<html>')],
    ['when the connection breaks before an answer', hangingUp],
    ['an incomplete answer', breakingOff()],
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

  it.each([
    ['as often as the options say', 1, { error: 'overloaded', retryAfter: 0 }, 2],
    ['twice by default, and then the last answer counts', undefined, { error: 'external' }, 3],
  ])('comes %s', async (_, retries, failure, asked) => {
    await against(
      inTurn(overloaded, overloaded, saying(502, error('external'))),
      async (canopy, { targets }) => {
        expect(await failureOf(canopy.userContentDirItems(visitor))).toEqual(failure)
        expect(targets.length).toBe(asked)
      },
      { retries, backOffMs: 1 },
    )
  })

  it('may come without end, also where there is no wait', async () => {
    const [count, endless] = [{ left: 1_100 }, Number.POSITIVE_INFINITY]
    const fetch = async () => {
      count.left -= 1
      return count.left < 0 ? new Response(emptyTree) : new Response('', { status: 503 })
    }
    const canopy = client({ baseUrl: nowhere, fetch, retries: endless, backOffMs: 0, timeoutMs: endless })
    expect(await canopy.userContentTree(visitor)).toMatchObject(root)
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
  const whole = [0, 1000, 3000, 7000, 15_000, 25_000, 35_000, 45_000, 55_000]

  it.each<[string, object, number, Record<string, string>, ReadonlyArray<number>]>([
    ['doubles each time, up to ten seconds', { retries: 9, backOffMs: 1000, timeoutMs: 60_000 }, 1, {}, whole],
    ['is spread from its half', { retries: 1, backOffMs: 1000 }, 0, {}, [0, 500]],
    ['to its whole', { retries: 1, backOffMs: 1000 }, 0.5, {}, [0, 750]],
    ['begins after what Retry-After asks for', { retries: 1, backOffMs: 100 }, 1, { 'Retry-After': '7' }, [0, 7100]],
  ])('%s', async (_, options, random, headers, expected) => {
    vi.useFakeTimers()
    vi.spyOn(Math, 'random').mockReturnValue(random)
    const began = performance.now()
    const at: Array<number> = []
    const fetch = async () => {
      at.push(Math.round(performance.now() - began))
      return new Response('', { status: 503, headers })
    }
    const call = failureOf(client({ baseUrl: nowhere, fetch, ...options }).userContentTree(visitor))
    await vi.advanceTimersByTimeAsync(60_000)
    await call
    expect(at).toEqual(expected)
  })

  it.each([
    ['it would outlast the call', 3600, 1000],
    ['timers do not know so long a wait', 31_556_952_000, Number.POSITIVE_INFINITY],
  ])('leaves the call at once when %s', async (_, retryAfter, timeoutMs) => {
    await against(
      saying(503, error('overloaded'), { 'Retry-After': `${retryAfter}` }),
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
    ['of the form of a date, and none', 'Xyz, 99 Foo 2036 99:99:99 GMT', 0],
    ['huge', '9'.repeat(400), Number.MAX_SAFE_INTEGER],
  ])('%s', (_, retryAfter, seconds) => {
    expect(secondsIn(retryAfter)).toBe(seconds)
  })

  it('may be a date in the form of RFC 9110', () => {
    const seconds = (Date.UTC(2036, 10, 6, 8, 49, 37) - Date.now()) / 1000
    expect(Math.abs(secondsIn('Thu, 06 Nov 2036 08:49:37 GMT') - seconds)).toBeLessThan(10)
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
  it('that is aborted already ends the call before anything is sent', async () => {
    await against(saying(200, emptyTree), async (canopy, { targets }) => {
      expect(await failureOf(canopy.userContentTree(visitor, { signal: AbortSignal.abort() }))).toEqual(aborted)
      expect(targets).toEqual([])
    })
  })

  // Of an answer that is whole the connection may stay.
  it.each<[string, boolean, (abort: () => void) => RequestListener]>([
    ['the wait for an answer', true, (abort) => abort],
    [
      'the reading of a body',
      true,
      (abort) => (request, response) => {
        beginning()(request, response)
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
    await against(
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

  it('ends a call through a fetch that ignores its signal', async () => {
    const controller = new AbortController()
    const deaf = through(() => {
      setImmediate(() => controller.abort())
      return new Promise(() => {})
    })
    expect(await failureOf(deaf.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
  })

  it('of many calls causes no warning in Node', async () => {
    const warnings: Array<string> = []
    const hear = ({ name }: Error) => warnings.push(name)
    process.on('warning', hear)
    const { signal } = new AbortController()
    await against(saying(200, emptyTree), async (canopy) => {
      const ask = () => canopy.userContentTree(visitor, { signal })
      await Promise.all(Array.from({ length: 20 }, ask))
      for (let calls = 0; calls < 20; calls += 1) await ask()
    })
    process.off('warning', hear)
    expect(warnings).toEqual([])
  })

  it('ends all calls under way, and none that has ended', async () => {
    const controller = new AbortController()
    await against(inTurn(saying(200, emptyTree), silent), async (canopy, { targets }) => {
      const ask = () => canopy.userContentTree(visitor, { signal: controller.signal })
      expect(await ask()).toMatchObject(root)
      const failures = Promise.all([ask(), ask(), ask()].map(failureOf))
      await expect.poll(() => targets.length).toBe(4)
      controller.abort()
      expect(await failures).toEqual([aborted, aborted, aborted])
    })
  })
})

it('a call that has ended leaves no timer, which would keep a program from ending', async () => {
  vi.useFakeTimers()
  const answers = [async () => new Response(emptyTree), async () => Promise.reject(new Error('thrown'))]
  for (const answer of answers)
    await through(answer)
      .userContentTree(visitor)
      .catch(() => {})
  expect(vi.getTimerCount()).toBe(0)
})

describe('a time-out', () => {
  it('longer than timers know ends no call', async () => {
    vi.useFakeTimers()
    const { promise, resolve } = promised()
    const canopy = client({ baseUrl: nowhere, timeoutMs: 2 ** 32, fetch: async () => new Response(await promise) })
    const answered = canopy.userContentTree(visitor)
    await vi.advanceTimersByTimeAsync(2 ** 31)
    resolve(emptyTree)
    expect(await answered).toMatchObject(root)
  })

  it.each<[string, RequestListener, object, object]>([
    ['ends a call without an answer', silent, { timeoutMs: 100 }, {}],
    ['ends a body that never ends', beginning(), { timeoutMs: 100 }, {}],
    ['of a call counts instead of the one of the client', silent, {}, { timeoutMs: 100 }],
  ])('%s', async (_, listener, options, call) => {
    const timedOut = { error: 'timed out', timeoutMs: 100 }
    expect(await failureAgainst(listener, (canopy) => canopy.userContentTree(visitor, call), options)).toEqual(timedOut)
  })
})
