import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { Failure } from '@canopy/domain'
import { HttpError } from '@canopy/http'
import { token, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { errorResponse, type HttpResponse } from '../../src/http/HttpResponse.js'
import {
  clientOf,
  failedLookups,
  type TrustedProxies,
  trustedProxies,
  wantedProxies,
} from '../../src/limits/failedLookups.js'
import { servedApps } from '../inProcess.js'

const requestFrom = (remoteAddress: string | undefined, forwardedFor?: string): IncomingMessage => {
  const socket = Object.defineProperty(new Socket(), 'remoteAddress', { value: remoteAddress })
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
  return Object.assign(new IncomingMessage(socket), { headers })
}

const trusting = (text: string) =>
  E.getOrElse((message: string): TrustedProxies => expect.fail(message))(trustedProxies(text))

describe('the client of failed look-ups', () => {
  const networks = '127.0.0.1, 10.0.0.0/8, 2001:db8:1::/48'

  it.each([
    // Without a trusted proxy: the address of the connection.
    ['', '127.0.0.1', '192.0.2.1', '127.0.0.1'],
    ['', '::ffff:192.0.2.1', undefined, '192.0.2.1'],
    // Only a trusted proxy can name another client.
    ['127.0.0.1', '127.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['loopback', '127.0.0.2', '192.0.2.1', '192.0.2.1'],
    ['127.0.0.1', '192.0.2.9', '192.0.2.1', '192.0.2.9'],
    // Commas stand between proxies, with spaces or without.
    ['10.0.0.1 , ::1', '::1', '192.0.2.1, 10.0.0.1', '192.0.2.1'],
    // All connections of an untrusted unix socket are one client.
    ['10.0.0.0/8 , unix', undefined, '192.0.2.1, 10.0.0.1', '192.0.2.1'],
    ['', undefined, '192.0.2.1', 'unix'],
    ['unix', '127.0.0.1', '192.0.2.1', '127.0.0.1'],
    // Proxies may write ports. All other text is one client.
    [networks, '127.0.0.1', '203.0.113.5:40000, 10.0.0.2:5555', '203.0.113.5'],
    [networks, '127.0.0.1', '203.0.113.5, [2001:db8:1::2]:5555', '203.0.113.5'],
    ['127.0.0.1', '127.0.0.1', 'x192.0.2.1:80', 'unknown'],
    ['127.0.0.1', '127.0.0.1', '[2001:db8::1]:80x', 'unknown'],
    ['loopback', '127.0.0.1', '192.0.2.1, _hidden', 'unknown'],
  ])('with the trusted proxies "%s", from %s for "%s", is %s', (proxies, remoteAddress, forwardedFor, client) => {
    expect(clientOf(trusting(proxies), requestFrom(remoteAddress, forwardedFor))).toBe(client)
  })

  it.each([
    ['2001:db8:0:10b::1', '2001:db8:0:10b:ffff::2', true],
    ['2001:db8::1', '[2001:db8::2]:443', true],
    ['2001:db8:0:10b::1', '2001:db8:0:10c::1', false],
    ['192.0.2.1', '192.0.2.2', false],
  ])('is an IPv6 network of 64 bits in any spelling: %s, %s', (one, other, same) => {
    const client = (address: string) => clientOf(trusting('loopback'), requestFrom('127.0.0.1', address))
    expect(client(one) === client(other)).toBe(same)
  })

  it.each(['x', '192.0.2.1', 'fe80::1%'])('has a short key for 20 KB that begin with "%s"', (begin) => {
    const client = clientOf(trusting('loopback'), requestFrom('127.0.0.1', begin.padEnd(20_000, '1')))
    expect(client.length).toBeLessThan(40)
  })

  it.each(['proxy.example', '10.0.0.0/99', '1.2.3', '10.0.0.1 ::1'])('proxies are not "%s"', (text) => {
    expect(trustedProxies(text)).toStrictEqual(E.left(wantedProxies))
  })
})

const unknown = `cnp_${'z'.repeat(42)}A`
const wrong = `/api/storage/v1/tree/${unknown}`
const right = `/api/storage/v1/tree/${token}`
const bell = '/api/triggers/v1/peek/bell'

describe('failed look-ups of tokens and triggers', () => {
  const served = servedApps()

  const [unverified, narrow] = ['u', 'n'].map((letter) => `cnp_${letter.repeat(42)}A`) as [string, string]
  const world = worldWith([], {}, [{ id: 'bell', value: '{"type":"bell"}', state: 'valid' }])
  const other = { settings: [], area: [] }
  const ports = memoryPorts({
    ...world,
    accounts: [
      ...world.accounts,
      { ...other, id: '2', verified: false, tokens: [{ token: unverified, scope: '/', state: 'valid' }] },
      { ...other, id: '3', verified: true, tokens: [{ token: narrow, scope: '/photos', state: 'valid' }] },
    ],
  })

  const serve = async (perMinute: number) => {
    const limitLookups = failedLookups({ perMinute, trustedProxies: trusting('loopback') })
    let lookups = 0
    const triggerOf: typeof ports.triggerOf = (id) => async () => {
      lookups += 1
      return ports.triggerOf(id)()
    }
    const service = await served({ ...ports, triggerOf }, { limitLookups })
    const ask = (target: string, client = '192.0.2.1') => service.ask(target, { 'X-Forwarded-For': client })
    const statuses = async (targets: ReadonlyArray<string>, client?: string) => {
      const found: Array<number> = []
      for (const target of targets) found.push((await ask(target, client)).status)
      return found
    }
    return { ask, statuses, lookups: () => lookups }
  }

  it('are 429 beyond the limit, with the time to wait', async () => {
    const { ask, statuses } = await serve(3)
    expect(await statuses([wrong, '/api/triggers/v1/peek/unknown', wrong])).toEqual([401, 404, 401])
    const refused = await ask(wrong)
    expect([refused.status, refused.body.toString()]).toEqual([429, '{"type":"error","error":"too many requests"}'])
    expect(Number(headerOf(refused, 'Retry-After'))).toBeGreaterThan(0)
    expect(Number(headerOf(refused, 'Retry-After'))).toBeLessThanOrEqual(60)
    expect(headerOf(refused, 'Cache-Control')).toBe('no-store')
  })

  it('stop look-ups of triggers beyond the limit, because ids may be guessed', async () => {
    const { statuses, lookups } = await serve(1)
    expect(await statuses([bell, wrong, bell, '/api/triggers/v1/peek/no'])).toEqual([200, 401, 429, 429])
    expect(lookups()).toBe(1)
    expect(await statuses([bell], '192.0.2.2')).toEqual([200])
  })

  const notVerified = `/api/storage/v1/tree/${unverified}/diary`
  const outside = `/api/storage/v1/tree/${narrow}/diary`

  it.each([
    ['lock no valid token behind the same address', 1, [wrong, wrong, right, wrong, right], [401, 429, 200, 429, 200]],
    ['do not affect routes without a secret', 1, [wrong, '/api/usercontent/v1/tree/id/1'], [401, 200]],
    ['exclude other failures', 2, Array(5).fill(`${right}/nothing`), Array(5).fill(404)],
    ['exclude tokens of unverified accounts', 1, Array(3).fill(notVerified), Array(3).fill(403)],
    ['exclude tokens outside of their scope', 1, Array(3).fill(outside), Array(3).fill(403)],
    ['have no limit with 0', 0, Array(100).fill(wrong), Array(100).fill(401)],
  ])('%s (%i a minute)', async (_, perMinute, targets, expected) => {
    const { statuses } = await serve(perMinute)
    expect(await statuses(targets)).toEqual(expected)
    expect(await statuses([right, wrong], '192.0.2.2')).toEqual([200, 401])
  })
})

describe('a client that has failed too often', () => {
  const minuteMs = 60_000

  beforeEach(() => {
    vi.useFakeTimers()
    vi.advanceTimersByTime(10 * minuteMs)
  })
  afterEach(() => void vi.useRealTimers())

  /** Fails look-ups of clients, and returns the wait of a client in seconds, or 0. */
  const failing = (perMinute: number) => {
    const limit = failedLookups({ perMinute, trustedProxies: trusting('') })
    const ask = (client: number, answer: E.Either<HttpError.HttpError, HttpResponse>) => {
      const address = `10.${client >> 16}.${(client >> 8) & 255}.${client & 255}`
      return limit(requestFrom(address), 'trigger', async () => answer)()
    }
    const wait = async (client = 0) => {
      const answered = await ask(client, E.right(errorResponse(HttpError.noSuchRoute)))
      return E.isLeft(answered) && answered.left.error === 'too many requests' ? answered.left.retryAfterSeconds : 0
    }
    return { fail: (client = 0) => ask(client, E.left(Failure.triggerNotFound)), wait }
  }

  it('waits for a minute from its first failure, in whole seconds rounded up', async () => {
    const { fail, wait } = failing(2)
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

  // Mutation testing has a short time limit.
  it('is forgotten when 100,000 others have failed since', { timeout: 60_000 }, async () => {
    const { fail, wait } = failing(1)
    for (let client = 0; client <= 100_000; client += 1) await fail(client)
    expect([await wait(0), await wait(1), await wait(100_000)]).toEqual([0, 60, 60])
  })
})
