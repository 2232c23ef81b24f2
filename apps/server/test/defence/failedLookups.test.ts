import { setTimeout as sleep } from 'node:timers/promises'
import { headerOf, memoryPorts, type RawResponse, request } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { failedLookups } from '../../src/defence/failedLookups.js'
import * as TrustedProxies from '../../src/defence/TrustedProxies.js'
import { servedApps } from '../servedApps.js'

const token = `cnp_${'a'.repeat(42)}A`
const unknown = `cnp_${'z'.repeat(42)}A`

const ports = memoryPorts({
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [{ token, scope: '/', state: 'valid' }],
      settings: [{ path: '/', visibility: 'public' }],
      area: [],
    },
  ],
  triggers: [{ id: 'bell', value: '{"type":"bell"}', state: 'valid' }],
})

const loopback = E.getOrElse(() => TrustedProxies.nobody)(TrustedProxies.fromText('loopback'))

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
    const service = await served(ports, { failedLookups: failedLookups(perMinute), trustedProxies: loopback })
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

  it('are refused with 429 beyond the limit, and so is any look-up by that client, for a time it is told', async () => {
    const port = await serve(3)
    expect(await statuses(port, [wrong, '/api/triggers/v1/peek/nobody', wrong])).toEqual([401, 404, 401])
    const refused = await ask(port, right)
    expect([refused.status, refused.body.toString()]).toEqual([429, '{"type":"error","error":"too many requests"}'])
    expect(Number(headerOf(refused, 'Retry-After'))).toBeGreaterThan(0)
    expect(Number(headerOf(refused, 'Retry-After'))).toBeLessThanOrEqual(60)
    expect(headerOf(refused, 'Cache-Control')).toBe('no-store')
  })

  it('of one client lock no token: everybody else still opens it', async () => {
    const port = await serve(1)
    expect(await statuses(port, [wrong, right])).toEqual([401, 429])
    expect(await statuses(port, [right, '/api/triggers/v1/peek/bell'], '192.0.2.2')).toEqual([200, 200])
  })

  it('do not touch what takes no secret', async () => {
    const port = await serve(1)
    expect(await statuses(port, [wrong, '/api/usercontent/v1/tree/id/1'])).toEqual([401, 200])
  })

  it('are not counted when the look-up succeeds and something else fails', async () => {
    const port = await serve(2)
    expect(
      await statuses(
        port,
        Array.from({ length: 5 }, () => `${right}/nothing`),
      ),
    ).toEqual([404, 404, 404, 404, 404])
  })

  it('of one IPv6 network count together, of two apart', async () => {
    const port = await serve(1)
    expect(await statuses(port, [wrong], '2001:db8::1')).toEqual([401])
    expect(await statuses(port, [wrong], '2001:db8::ffff:2')).toEqual([429])
    expect(await statuses(port, [wrong], '2001:db8:0:1::1')).toEqual([401])
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
      { failedLookups: failedLookups(1) },
    )
    const paths = [unverified, narrow].map((secret) => `/api/storage/v1/tree/${secret}/diary`)
    expect(await statuses(service.port, [...paths, ...paths])).toEqual([403, 403, 403, 403])
  })

  it('are counted before they are answered', async () => {
    let isCounted = false
    const count = async () => {
      await sleep(50)
      isCounted = true
    }
    const { port } = await served(ports, { failedLookups: { waitSeconds: async () => 0, count } })
    expect([(await ask(port, wrong)).status, isCounted]).toEqual([401, true])
  })

  it('have no limit when it is 0', async () => {
    const port = await serve(0)
    expect(
      new Set(
        await statuses(
          port,
          Array.from({ length: 100 }, () => wrong),
        ),
      ),
    ).toEqual(new Set([401]))
  })

  it('count against the address of the connection when no proxy is trusted', async () => {
    const service = await served(ports, { failedLookups: failedLookups(1), trustedProxies: TrustedProxies.nobody })
    expect(await statuses(service.port, [wrong], '192.0.2.1')).toEqual([401])
    expect(await statuses(service.port, [wrong], '192.0.2.2')).toEqual([429])
  })
})

describe('the wait of a client that has failed too often', () => {
  const client = () => '192.0.2.1'
  const minuteMs = 60_000

  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is a minute from its first failure, whole seconds rounded up, also when nobody else fails', async () => {
    const { count, waitSeconds } = failedLookups(2)
    vi.advanceTimersByTime(10 * minuteMs)
    await count(client)
    vi.advanceTimersByTime(minuteMs / 2)
    expect(await waitSeconds(client)).toBe(0)
    await count(client)
    expect(await waitSeconds(client)).toBe(30)
    vi.advanceTimersByTime(minuteMs / 2 - 1)
    expect(await waitSeconds(client)).toBe(1)
    vi.advanceTimersByTime(1)
    expect(await waitSeconds(client)).toBe(0)
  })

  it.each([
    ['back', -3_600_000],
    ['forward', 3_600_000],
  ])('is the same when the clock of the machine is set %s by an hour', async (_, ms) => {
    const { count, waitSeconds } = failedLookups(1)
    vi.advanceTimersByTime(minuteMs)
    await count(client)
    vi.advanceTimersByTime(20_000)
    vi.setSystemTime(Date.now() + ms)
    expect(await waitSeconds(client)).toBe(40)
    vi.advanceTimersByTime(40_000)
    expect(await waitSeconds(client)).toBe(0)
    await count(client)
    expect(await waitSeconds(client)).toBe(60)
  })
})

describe('trusted proxies', () => {
  it.each(['', '127.0.0.1', '10.0.0.0/8, ::1', 'loopback', 'uniquelocal'])('may be "%s"', (text) => {
    expect(E.isRight(TrustedProxies.fromText(text))).toBe(true)
  })
  it.each(['proxy.example', '10.0.0.0/99', '1.2.3'])('may not be "%s"', (text) => {
    expect(E.isLeft(TrustedProxies.fromText(text))).toBe(true)
  })
})
