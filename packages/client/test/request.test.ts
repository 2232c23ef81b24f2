import type { RequestListener } from 'node:http'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { client } from '../src/index.js'
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
  through,
  token,
  visitor,
} from './answering.js'

const noAnswer = (cause: string) => ({ error: 'no answer', cause })

describe('a connection', () => {
  it('that is refused brings no answer, and the code says why', async () => {
    const baseUrl = await against(saying(200, ''), async (_, service) => service.baseUrl)
    expect(await failureOf(client({ baseUrl, retries: 0 }).userContentTree(visitor))).toEqual(noAnswer('ECONNREFUSED'))
  })

  it('that ends before an answer brings no answer', async () => {
    await against(
      (request) => request.socket.destroy(),
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor))).toMatchObject({ error: 'no answer' })
      },
    )
  })

  it.each([
    ['a length', { 'Content-Length': '1000' }],
    ['chunks', {}],
  ])('that ends inside the body brings an incomplete answer: %s', async (_, headers) => {
    await against(
      (_request, response) => {
        response.writeHead(200, headers)
        response.write(emptyTree)
        setImmediate(() => response.destroy())
      },
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor))).toEqual({ error: 'incomplete answer' })
      },
    )
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

describe('a request', () => {
  it('asks for JSON without credentials, referrer or redirects, under the path of the base URL', async () => {
    const inits: Array<RequestInit> = []
    const canopy = client({
      baseUrl: 'http://127.0.0.1/base/',
      fetch: async (url, init) => {
        expect(url).toBe('http://127.0.0.1/base/api/usercontent/v1/tree/id/1')
        inits.push(init)
        return new Response(emptyTree)
      },
    })
    expect(await canopy.userContentTree(visitor)).toMatchObject(root)
    expect(inits).toMatchObject([
      {
        method: 'GET',
        headers: { Accept: 'application/json' },
        credentials: 'omit',
        redirect: 'manual',
        referrerPolicy: 'no-referrer',
      },
    ])
  })
})

const quick = { retries: 2, backOffMs: 1 }

describe('a retry', () => {
  it.each<[string, RequestListener]>([
    ['on 503', saying(503, error('overloaded'))],
    ['on 429, after what Retry-After asks', saying(429, error('too many requests'), { 'Retry-After': '0' })],
    ['on external', saying(502, error('external'))],
    ['on 504 of a proxy', saying(504, '<html>')],
    ['when the connection breaks before an answer', (request) => request.socket.destroy()],
    [
      'an incomplete answer',
      (_, response) => {
        response.writeHead(200)
        response.write(emptyTree)
        setImmediate(() => response.destroy())
      },
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

  it('comes twice by default', async () => {
    const service = await answering(saying(503, error('overloaded')))
    const canopy = client({ baseUrl: service.baseUrl, backOffMs: 1 })
    expect(await failureOf(canopy.userContentTree(visitor))).toEqual({ error: 'overloaded', retryAfter: 0 })
    await service.stop()
    expect(service.targets.length).toBe(3)
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

  it.each([['of RFC 9110', 'Thu, 06 Nov 2036 08:49:37 GMT']])('may be a date in the form %s', (_, retryAfter) => {
    const seconds = (Date.UTC(2036, 10, 6, 8, 49, 37) - Date.now()) / 1000
    expect(Math.abs(secondsIn(retryAfter) - seconds)).toBeLessThan(10)
  })

  afterEach(() => void vi.useRealTimers())

  it('is 0 when it has the form of a date and is none', () => {
    expect(secondsIn('Xyz, 99 Foo 2036 99:99:99 GMT')).toBe(0)
  })
})

const aborted = { error: 'aborted' }
const timedOut = (timeoutMs: number) => ({ error: 'timed out', timeoutMs })

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

  it('ends a call that waits for an answer, and closes its connection', async () => {
    const controller = new AbortController()
    const { promise: closed, resolve } = promised()
    await against(
      ({ socket }) => {
        socket.once('close', () => resolve('closed'))
        controller.abort()
      },
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
        expect(await closed).toBe('closed')
      },
    )
  })

  it.each<[string, (abort: () => void) => RequestListener]>([
    [
      'the reading of a body',
      (abort) => (_, response) => {
        response.writeHead(200)
        response.write(emptyTree)
        setTimeout(abort, 20)
      },
    ],
    [
      'the wait for the next attempt',
      (abort) => (request, response) => {
        saying(503, error('overloaded'))(request, response)
        response.once('close', abort)
      },
    ],
  ])('ends %s', async (_, listener) => {
    const controller = new AbortController()
    await against(
      listener(() => controller.abort()),
      async (canopy, { targets }) => {
        expect(await failureOf(canopy.userContentTree(visitor, { signal: controller.signal }))).toEqual(aborted)
        expect(targets.length).toBe(1)
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
    await against(
      inTurn(saying(200, emptyTree), () => {}),
      async (canopy, { targets }) => {
        const ask = () => canopy.userContentTree(visitor, { signal: controller.signal })
        expect(await ask()).toMatchObject(root)
        const failures = Promise.all([ask(), ask(), ask()].map(failureOf))
        await expect.poll(() => targets.length).toBe(4)
        controller.abort()
        expect(await failures).toEqual([aborted, aborted, aborted])
      },
    )
  })
})

describe('a call that has ended', () => {
  afterEach(() => void vi.useRealTimers())

  it('leaves no timer, which would keep a program from ending', async () => {
    vi.useFakeTimers()
    const answers = [async () => new Response(emptyTree), async () => Promise.reject(new Error('thrown'))]
    for (const answer of answers)
      await through(answer)
        .userContentTree(visitor)
        .catch(() => {})
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('a time-out', () => {
  afterEach(() => void vi.useRealTimers())

  it('longer than timers know ends no call', async () => {
    vi.useFakeTimers()
    const { promise, resolve } = promised()
    const canopy = client({ baseUrl: nowhere, timeoutMs: 2 ** 32, fetch: async () => new Response(await promise) })
    const answered = canopy.userContentTree(visitor)
    await vi.advanceTimersByTimeAsync(2 ** 31)
    resolve(emptyTree)
    expect(await answered).toMatchObject(root)
  })

  it.each<[string, RequestListener]>([
    ['a call without an answer', () => {}],
    [
      'a body that never ends',
      (_, response) => {
        response.writeHead(200)
        response.write(emptyTree)
      },
    ],
  ])('ends %s', async (_, listener) => {
    await against(
      listener,
      async (canopy) => expect(await failureOf(canopy.userContentTree(visitor))).toEqual(timedOut(100)),
      { timeoutMs: 100 },
    )
  })

  it('of a call counts instead of the one of the client', async () => {
    await against(
      () => {},
      async (canopy) => {
        expect(await failureOf(canopy.userContentTree(visitor, { timeoutMs: 20 }))).toEqual(timedOut(20))
      },
    )
  })
})
