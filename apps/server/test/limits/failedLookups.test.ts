import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Failure } from '@canopy/domain'
import { token, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts, type RawResponse, request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Answer, refusalAnswer } from '../../src/http/answers.js'
import { noSuchRoute, type Refusal } from '../../src/http/Refusal.js'
import {
  clientOf,
  failedLookups,
  noProxies,
  type TrustedProxies,
  trustedProxies,
} from '../../src/limits/failedLookups.js'
import { type Route, routes } from '../../src/routes.js'
import { servedApps } from '../servedApps.js'

const requestFrom = (remoteAddress: string | undefined, forwardedFor?: string): IncomingMessage => {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return Object.assign(new IncomingMessage(socket), { headers })
}

const trusting = (text: string) =>
  E.getOrElse((message: string): TrustedProxies => expect.fail(message))(trustedProxies(text))

const clientBehind = (proxies: string, remoteAddress: string, forwardedFor: string) =>
  clientOf(trusting(proxies), requestFrom(remoteAddress, forwardedFor))

describe('whom failed look-ups are counted against', () => {
  it('is the address of the connection when no proxy is trusted', () => {
    expect(clientOf(noProxies, requestFrom('127.0.0.1', '192.0.2.1'))).toBe('127.0.0.1')
    expect(clientBehind('', '127.0.0.1', '192.0.2.1')).toBe('127.0.0.1')
  })

  it('trusts no proxy by default', () => {
    expect(noProxies('127.0.0.1', 0)).toBe(false)
  })

  it('is whom a trusted proxy asks for', () => {
    expect(clientBehind('127.0.0.1', '127.0.0.1', '192.0.2.1')).toBe('192.0.2.1')
    expect(clientBehind('10.0.0.0/8', '10.1.2.3', '192.0.2.1')).toBe('192.0.2.1')
    expect(clientBehind('loopback', '127.0.0.2', '192.0.2.1')).toBe('192.0.2.1')
  })

  it('is not whom anyone else asks for', () => {
    expect(clientBehind('127.0.0.1', '192.0.2.9', '192.0.2.1')).toBe('192.0.2.9')
    expect(clientBehind('127.0.0.1', '127.0.0.1', '192.0.2.1, 192.0.2.2')).toBe('192.0.2.2')
  })

  it('proxies stand with commas between them, with spaces or without', () => {
    expect(clientBehind('10.0.0.1 , ::1', '::1', '192.0.2.1, 10.0.0.1')).toBe('192.0.2.1')
    expect(clientBehind('10.0.0.1,,::1,', '::1', '192.0.2.1, 10.0.0.1')).toBe('192.0.2.1')
  })

  it.each(['', '127.0.0.1', '10.0.0.0/8, ::1', 'loopback', 'uniquelocal'])('proxies may be "%s"', (text) => {
    expect(E.isRight(trustedProxies(text))).toBe(true)
  })

  it.each(['proxy.example', '10.0.0.0/99', '1.2.3', '10.0.0.1 ::1'])('proxies are not "%s"', (text) => {
    expect(trustedProxies(text)).toStrictEqual(
      E.left(
        'must be addresses or ranges with commas between them, such as 127.0.0.1,10.0.0.0/8; or unix, for a proxy at a unix socket',
      ),
    )
  })

  it('is whom the proxy at a unix socket asks for, where that is trusted, and else all who come there', () => {
    const atSocket = (proxies: string) => clientOf(trusting(proxies), requestFrom(undefined, '192.0.2.1, 10.0.0.1'))
    expect(atSocket('unix')).toBe('10.0.0.1')
    expect(atSocket('10.0.0.0/8 , unix')).toBe('192.0.2.1')
    expect([atSocket(''), atSocket('10.0.0.0/8')]).toEqual(['unix', 'unix'])
    expect(clientBehind('unix', '127.0.0.1', '192.0.2.1')).toBe('127.0.0.1')
  })

  it.each([
    ['9.9.9.9', '9.9.9.9:1234'],
    ['2001:db8::1', '[2001:db8::1]'],
    ['2001:db8::1', '[2001:db8::2]:443'],
  ])('%s is the same client when a proxy says %s', (address, said) => {
    const client = (forwardedFor: string) => clientOf(trusting('127.0.0.1'), requestFrom('127.0.0.1', forwardedFor))
    expect(client(said)).toBe(client(address))
  })

  it.each(['x192.0.2.1:80', '192.0.2.1:80x', 'x[2001:db8::1]:80', '[2001:db8::1]:80x'])(
    'is what a trusted proxy says, whole, where that is an address and more: %s',
    (said) => {
      expect(clientBehind('127.0.0.1', '127.0.0.1', said)).toBe(said)
    },
  )

  it('is behind every trusted proxy, also where they write ports', () => {
    const proxies = '127.0.0.1, 10.0.0.0/8, 2001:db8:1::/48'
    expect(clientBehind(proxies, '127.0.0.1', '203.0.113.5:40000, 10.0.0.2:5555')).toBe('203.0.113.5')
    expect(clientBehind(proxies, '127.0.0.1', '203.0.113.5, [2001:db8:1::2]:5555')).toBe('203.0.113.5')
  })

  it('an IPv4 address is one client, also when it is written as IPv6', () => {
    expect(clientOf(noProxies, requestFrom('192.0.2.1'))).toBe('192.0.2.1')
    expect(clientOf(noProxies, requestFrom('::ffff:192.0.2.1'))).toBe('192.0.2.1')
    expect(clientOf(noProxies, requestFrom('192.0.2.2'))).toBe('192.0.2.2')
  })

  it('an IPv6 network of 64 bits is one client', () => {
    const client = clientOf(noProxies, requestFrom('2001:db8:0:10b::1'))
    expect(clientOf(noProxies, requestFrom('2001:db8:0:10b:ffff::2'))).toBe(client)
    expect(clientOf(noProxies, requestFrom('2001:db8:0:10c::1'))).not.toBe(client)
    expect(clientOf(noProxies, requestFrom('2001:db8:0:b01::1'))).not.toBe(client)
  })

  it('what is no address is a client of its own', () => {
    expect(clientBehind('loopback', '127.0.0.1', 'unknown')).toBe('unknown')
  })
})

const unknown = `cnp_${'z'.repeat(42)}A`

const ports = memoryPorts(worldWith([], {}, [{ id: 'bell', value: '{"type":"bell"}', state: 'valid' }]))

const loopback = E.getOrElse(() => noProxies)(trustedProxies('loopback'))

const ask = (port: number, path: string, client = '192.0.2.1'): Promise<RawResponse> =>
  request(port, {
    method: 'GET',
    target: path,
    headers: [
      ['Host', 'x'],
      ['X-Forwarded-For', client],
    ],
  })

describe('failed look-ups of tokens and triggers', () => {
  const served = servedApps()

  const serve = async (perMinute: number): Promise<number> => {
    const service = await served(ports, { limitLookups: failedLookups({ perMinute, trustedProxies: loopback }) })
    return service.port
  }

  const statuses = async (
    port: number,
    paths: ReadonlyArray<string>,
    client?: string,
  ): Promise<ReadonlyArray<number>> => {
    const found: Array<number> = []
    for (const path of paths) found.push((await ask(port, path, client)).status)
    return found
  }

  const wrong = `/api/storage/v1/tree/${unknown}`
  const right = `/api/storage/v1/tree/${token}`

  it('are answered with 429 beyond the limit, which says how long the client has to wait', async () => {
    const port = await serve(3)
    expect(await statuses(port, [wrong, '/api/triggers/v1/peek/nobody', wrong])).toEqual([401, 404, 401])
    const refused = await ask(port, wrong)
    expect([refused.status, refused.body.toString()]).toEqual([429, '{"type":"error","error":"too many requests"}'])
    expect(Number(headerOf(refused, 'Retry-After'))).toBeGreaterThan(0)
    expect(Number(headerOf(refused, 'Retry-After'))).toBeLessThanOrEqual(60)
    expect(headerOf(refused, 'Cache-Control')).toBe('no-store')
  })

  it('of a broken client lock no valid token, not even behind the same address', async () => {
    const port = await serve(1)
    expect(await statuses(port, [wrong, wrong, right, wrong, right])).toEqual([401, 429, 200, 429, 200])
    expect(await statuses(port, [right, wrong], '192.0.2.2')).toEqual([200, 401])
  })

  it('end the look-up of triggers, whose ids may be guessable: beyond the limit none is looked up', async () => {
    let lookups = 0
    const triggerOf = (id: Parameters<typeof ports.triggerOf>[0]) => async () => {
      lookups += 1
      return ports.triggerOf(id)()
    }
    const limitLookups = failedLookups({ perMinute: 1, trustedProxies: loopback })
    const { port } = await served({ ...ports, triggerOf }, { limitLookups })
    const bell = '/api/triggers/v1/peek/bell'
    expect(await statuses(port, [bell, wrong, bell, '/api/triggers/v1/peek/no'])).toEqual([200, 401, 429, 429])
    expect(lookups).toBe(1)
    expect(await statuses(port, [bell], '192.0.2.2')).toEqual([200])
  })

  it('do not touch what takes no secret', async () => {
    const port = await serve(1)
    expect(await statuses(port, [wrong, '/api/usercontent/v1/tree/id/1'])).toEqual([401, 200])
  })

  it('are not counted when the look-up succeeds and something else fails', async () => {
    const port = await serve(2)
    const paths = Array.from({ length: 5 }, () => `${right}/nothing`)
    expect(await statuses(port, paths)).toEqual([404, 404, 404, 404, 404])
  })

  it('are not those of who has a token that is one: of an account that is not verified, or outside its scope', async () => {
    const [unverified, narrow] = ['u', 'n'].map((letter) => `cnp_${letter.repeat(42)}A`) as [string, string]
    const account = { settings: [], area: [] }
    const service = await served(
      memoryPorts({
        accounts: [
          { ...account, id: '1', verified: false, tokens: [{ token: unverified, scope: '/', state: 'valid' }] },
          { ...account, id: '2', verified: true, tokens: [{ token: narrow, scope: '/photos', state: 'valid' }] },
        ],
        triggers: [],
      }),
      { limitLookups: failedLookups({ perMinute: 1, trustedProxies: noProxies }) },
    )
    const paths = [unverified, narrow].map((secret) => `/api/storage/v1/tree/${secret}/diary`)
    expect(await statuses(service.port, [...paths, ...paths])).toEqual([403, 403, 403, 403])
  })

  it('have no limit when it is 0', async () => {
    const port = await serve(0)
    const paths = Array.from({ length: 100 }, () => wrong)
    expect(new Set(await statuses(port, paths))).toEqual(new Set([401]))
  })
})

describe('the wait of a client that has failed too often', () => {
  const minuteMs = 60_000

  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const trigger = routes.find(({ credential }) => credential === 'trigger') as Route

  /** Fails once, and says for how many seconds a client has to wait; 0 where it could try. */
  const failing = (perMinute: number) => {
    const limit = failedLookups({ perMinute, trustedProxies: noProxies })
    const request = new IncomingMessage(Object.defineProperty(new Socket(), 'remoteAddress', { value: '192.0.2.1' }))
    const ask = (answer: E.Either<Refusal, Answer>) => limit(request, trigger, async () => answer)()
    const wait = async () => {
      const answered = await ask(E.right(refusalAnswer(noSuchRoute)))
      return E.isLeft(answered) && answered.left.error === 'too many requests' ? answered.left.retryAfterSeconds : 0
    }
    return { fail: () => ask(E.left(Failure.triggerNotFound)), wait }
  }

  it('is a minute from its first failure, whole seconds rounded up, also when no one else fails', async () => {
    const { fail, wait } = failing(2)
    vi.advanceTimersByTime(10 * minuteMs)
    await fail()
    vi.advanceTimersByTime(minuteMs / 2)
    expect(await wait()).toBe(0)
    await fail()
    expect(await wait()).toBe(30)
    vi.advanceTimersByTime(minuteMs / 2 - 1)
    expect(await wait()).toBe(1)
    vi.advanceTimersByTime(1)
    expect(await wait()).toBe(0)
  })

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('is the same when the clock of the machine is set %s by an hour', async (_, ms) => {
    const { fail, wait } = failing(1)
    vi.advanceTimersByTime(minuteMs)
    await fail()
    vi.advanceTimersByTime(20_000)
    vi.setSystemTime(Date.now() + ms)
    expect(await wait()).toBe(40)
    vi.advanceTimersByTime(40_000)
    expect(await wait()).toBe(0)
    await fail()
    expect(await wait()).toBe(60)
  })
})
