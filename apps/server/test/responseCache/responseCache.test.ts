import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Listing } from '@canopy/domain'
import { dir, file, token, worldWith as worldOf } from '@canopy/test-support'
import { headerOf, memoryPorts, type RawResponse, request, scenarios, target, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { Ports } from '../../src/ports.js'
import { type Given, type Lookup, lookup, responseCache } from '../../src/responseCache.js'
import { routes } from '../../src/routes.js'
import type { ServerEnv } from '../../src/server.js'
import { later } from '../later.js'
import { logged } from '../logs.js'
import { servedApps } from '../servedApps.js'
import { steadyPorts } from './steadyPorts.js'

const worldWith = (visibility: 'public' | 'private', state: 'valid' | 'revoked' = 'valid'): World =>
  worldOf(
    [file('a'), dir('d', file('a'))],
    { tokens: [{ token, scope: '/', state }], settings: [{ path: '/', visibility }] },
    [{ id: 'bell', value: '{"type":"bell"}', state: 'valid' }],
  )

const ofOwner = `/api/storage/v1/diritems/${token}/d`
const ofVisitor = '/api/usercontent/v1/diritems/id/1/d'

describe('a cached answer', () => {
  const served = servedApps()

  const get = (port: number, path: string) => request(port, { method: 'GET', target: path, headers: [['Host', 'x']] })

  const serve = async (world: World, options: Partial<ServerEnv> = {}) => {
    const { ports, replace } = steadyPorts(world)
    const { lines, log } = logged()
    const { port } = await served(ports, { log, ...options })
    const ask = (path: string, more: ReadonlyArray<readonly [string, string]> = [], method = 'GET') =>
      request(port, { method, target: path, headers: [['Host', 'x'], ...more] })
    return { ask, replace, lines }
  }

  const withoutOwn = ({ status, headers, body }: RawResponse) => ({
    status,
    headers: headers.filter(([name]) => name !== 'Date' && name !== 'X-Request-Id'),
    body: body.toString(),
  })

  it('has a line also when its client leaves before it is checked', async () => {
    const { ports } = steadyPorts(worldWith('public'))
    const { value: ready, give } = later()
    let asked = 0
    const areaOfToken: Ports['areaOfToken'] = (token) => async () => {
      asked += 1
      if (asked === 2) await ready
      return ports.areaOfToken(token)()
    }
    const { lines, log } = logged()
    const { port } = await served({ ...ports, areaOfToken }, { log })
    await get(port, ofOwner)
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${ofOwner} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await expect.poll(() => asked).toBe(2)
    socket.destroy()
    await expect.poll(() => lines.length).toBe(2)
    expect(lines).toMatchObject([
      { operation: 'storageDirItems', status: 200 },
      { operation: 'storageDirItems', aborted: true },
    ])
    give()
  })

  it('is byte for byte what it was, and has an identity and a log line of its own', async () => {
    const { ask, lines } = await serve(worldWith('public'))
    for (const path of [ofOwner, ofVisitor, `/api/storage/v1/tree/${token}`, '/api/triggers/v1/peek/bell']) {
      lines.length = 0
      const [first, again] = [await ask(path), await ask(path)]
      expect(withoutOwn(again)).toEqual(withoutOwn(first))
      expect(headerOf(again, 'X-Request-Id')).not.toBe(headerOf(first, 'X-Request-Id'))
      const [one, other] = lines
      const own = { id: headerOf(again, 'X-Request-Id'), ms: other?.['ms'], time: other?.['time'] }
      expect(other).toEqual({ ...one, ...own })
    }
  })

  /** A directory that counts how often its entries are read: to check them once, and whenever an answer is made of them. */
  const countedListing = async (options: Partial<ServerEnv> = {}, ready: Promise<void> = Promise.resolve()) => {
    const counted = { lookups: 0, reads: 0 }
    const { ports } = steadyPorts(worldWith('public'))
    const listings = new Map<string, Listing.Listing>()
    const list: Ports['list'] = (area, path) => async () => {
      counted.lookups += 1
      await ready
      const found = await ports.list(area, path)()
      if (E.isLeft(found)) return found
      const { entries } = found.right
      const readEntries = () => {
        counted.reads += 1
        return entries[Symbol.iterator]()
      }
      const known = listings.get(path) ?? {
        ...found.right,
        entries: { length: entries.length, at: (index) => entries.at(index), [Symbol.iterator]: readEntries },
      }
      listings.set(path, known)
      return E.right(known)
    }
    const { port } = await served({ ...ports, list }, options)
    const ask = () => get(port, ofVisitor)
    const readBy = async (asking: Promise<unknown>) => {
      const before = counted.reads
      await asking
      return counted.reads - before
    }
    return { ask, readBy, counted }
  }

  it('is not made again', async () => {
    const { ask, readBy } = await countedListing()
    expect(await readBy(ask())).toBeGreaterThan(0)
    expect(await readBy(ask())).toBe(0)
    const uncached = await countedListing({ cacheBytes: 0 })
    await uncached.ask()
    expect(await uncached.readBy(uncached.ask())).toBeGreaterThan(0)
  })

  it('is not made again either for those who waited while it was made', async () => {
    const { value: ready, give } = later()
    const { ask, counted } = await countedListing({ admission: { most: 100, atOnce: 1, longMs: 100_000 } }, ready)
    const first = ask()
    await expect.poll(() => counted.lookups).toBe(1)
    const asked = [first, ask(), ask()]
    // No line says that a request waits.
    await sleep(50)
    expect(counted.lookups).toBe(1)
    give()
    const answers = await Promise.all(asked)
    expect(new Set(answers.map(({ body }) => body.toString())).size).toBe(1)
    const alone = await countedListing()
    expect(counted.reads).toBe(await alone.readBy(alone.ask()))
  })

  it('is not queued', async () => {
    const { value: ready, give } = later()
    const { ports } = steadyPorts(worldWith('public'))
    const triggerOf = (id: Parameters<typeof ports.triggerOf>[0]) => async () => {
      await ready
      return ports.triggerOf(id)()
    }
    const { port } = await served({ ...ports, triggerOf }, { admission: { most: 100, atOnce: 1, longMs: 100_000 } })
    const cached = '/api/usercontent/v1/tree/id/1'
    expect((await get(port, cached)).status).toBe(200)
    const hanging = get(port, '/api/triggers/v1/peek/bell')
    // Nothing tells that a request has come to its port.
    await sleep(50)
    expect((await get(port, cached)).status).toBe(200)
    give()
    await hanging
  })

  it('is not verified any more where a port gives new values each time: that would be to read twice', async () => {
    const { ports } = steadyPorts(worldWith('public'))
    let listed = 0
    const list: Ports['list'] = (area, path) => async () => {
      listed += 1
      const listing = await ports.list(area, path)()
      return E.map((one: Listing.Listing) => ({ ...one }))(listing)
    }
    const { port } = await served({ ...ports, list })
    const counts: Array<number> = []
    for (const _ of [1, 2, 3, 4, 5]) {
      await get(port, ofVisitor)
      counts.push(listed)
    }
    expect(counts).toEqual([1, 3, 5, 6, 7])
  })

  it('is what would be answered without the cache, in every scenario and whatever was asked before', async () => {
    const worlds = [...new Set(scenarios.map(({ world }) => world))]
    const targets = [...new Set(scenarios.map(({ ask }) => target(ask)))]
    const { ask, replace } = await serve(worldWith('public'))
    for (const world of [...worlds, ...worlds]) {
      replace(world)
      const uncached = await served(memoryPorts(world), { cacheBytes: 0 })
      for (const path of targets) {
        const fresh = withoutOwn(await get(uncached.port, path))
        for (const _ of [1, 2]) expect([path, withoutOwn(await ask(path))]).toEqual([path, fresh])
      }
    }
  })

  it('is given no more once its token is revoked, its account private or its trigger gone', async () => {
    const { ask, replace } = await serve(worldWith('public'))
    const paths = [ofOwner, ofVisitor, '/api/triggers/v1/peek/bell']
    const statuses = async () => Promise.all(paths.map(async (path) => (await ask(path)).status))
    for (const _ of [1, 2]) expect(await statuses()).toEqual([200, 200, 200])
    replace({ ...worldWith('private', 'revoked'), triggers: [] })
    for (const _ of [1, 2]) expect(await statuses()).toEqual([401, 403, 404])
    replace(worldWith('public'))
    expect(await statuses()).toEqual([200, 200, 200])
  })

  it('is for GET and HEAD with one Host header', async () => {
    const { ask } = await serve(worldWith('public'))
    const first = await ask(ofVisitor)
    const head = await ask(ofVisitor, [], 'HEAD')
    expect([head.status, head.headers.length, head.body.length]).toEqual([200, first.headers.length, 0])
    expect((await ask(ofVisitor, [['Host', 'y']])).status).toBe(400)
    expect((await ask(ofVisitor, [], 'POST')).status).toBe(405)
    expect((await ask(ofVisitor, [], 'OPTIONS')).status).toBe(204)
    expect((await ask(ofVisitor, [['If-None-Match', headerOf(first, 'ETag') ?? '']])).status).toBe(304)
  })
})

describe('cached answers', () => {
  const route = routes[2]
  if (route === undefined) throw new Error('no such route')
  const given = (bytes: number) => ({
    route,
    asked: { credential: '', path: '', query: '' },
    answer: { status: 200, headers: {}, body: { is: 'bytes', bytes: Buffer.alloc(bytes), nodes: 0 } } as const,
  })

  const nothing: ReadonlyArray<Lookup> = []

  it('take no more memory than they may, and the longest unused goes first', () => {
    const cache = responseCache(24_000)
    for (const target of ['/1', '/2', '/3', '/4']) {
      cache.store(target, given(2_000), nothing)
      cache.find('/1')
    }
    expect(['/1', '/2', '/3', '/4'].map((target) => cache.find(target) !== undefined)).toEqual([
      true,
      false,
      true,
      true,
    ])
    cache.store('/large', given(24_000), nothing)
    expect(cache.find('/large')).toBe(undefined)
  })

  it('cost what they are found by and what verifies them, too', () => {
    const current = async () => true
    const checked = responseCache(24_000)
    checked.store(
      '/',
      given(0),
      Array.from({ length: 100 }, () => current),
    )
    expect(checked.find('/')).toBe(undefined)
    const long = `/${'a'.repeat(20_000)}`
    const found = responseCache(24_000)
    found.store(long, given(0), nothing)
    expect(found.find(long)).toBe(undefined)
  })

  it('are none with no memory for them', () => {
    const cache = responseCache(0)
    cache.store('/', given(1), nothing)
    expect(cache.find('/')).toBe(undefined)
  })

  it('are not stored when they cannot be checked', () => {
    const cache = responseCache(100_000)
    cache.store('/', given(1), undefined)
    expect(cache.find('/')).toBe(undefined)
  })

  it('stand while all their look-ups do', async () => {
    const cache = responseCache(100_000)
    const values = [{}, {}]
    const first = [...values]
    const lookups = first.map((value, index) =>
      lookup('list', async () => ({ _tag: 'Right', right: values[index] as object }), value),
    )
    cache.store('/', given(1), lookups)
    expect(await cache.find('/')?.isCurrent()).toBe(true)
    values[1] = {}
    expect(await cache.find('/')?.isCurrent()).toBe(false)
  })

  describe('that fell', () => {
    const stale = [async () => false]
    const steady = [async () => true]
    const bytes = (text: string) => {
      const { answer, ...asked } = given(0)
      return { ...asked, answer: { ...answer, body: { ...answer.body, bytes: Buffer.from(text) } } }
    }
    const tagged = (etag: string) => {
      const { answer, ...asked } = given(0)
      return { ...asked, answer: { ...answer, body: { ...answer.body, etag } } }
    }
    const isKeptAfter = async (...answers: ReadonlyArray<readonly [Given, ReadonlyArray<Lookup>]>) => {
      const cache = responseCache(100_000)
      for (const [answer, lookups] of answers) {
        cache.store('/', answer, lookups)
        await cache.find('/')?.isCurrent()
      }
      return cache.find('/') !== undefined
    }

    it('are cached again, but not when they were checked for nothing twice in a row', async () => {
      const [one, other] = [bytes('one'), bytes('other')]
      expect(await isKeptAfter([one, stale], [one, stale])).toBe(true)
      expect(await isKeptAfter([one, stale], [one, stale], [one, stale])).toBe(false)
      expect(await isKeptAfter([one, stale], [one, stale], [one, steady])).toBe(false)
      expect(await isKeptAfter([one, stale], [one, stale], [other, stale])).toBe(true)
      expect(await isKeptAfter([one, stale], [other, stale], [one, stale], [other, stale])).toBe(true)
      expect(await isKeptAfter([one, stale], [one, steady], [one, stale], [one, stale])).toBe(true)
    })

    it('are forgotten for others where their targets would take too much memory', async () => {
      const cache = responseCache(100_000)
      const keep = async (target: string) => {
        cache.store(target, bytes('one'), stale)
        await cache.find(target)?.isCurrent()
      }
      const [first, second] = ['1', '2'].map((name) => `/${name.repeat(10_000)}`) as [string, string]
      for (const target of [first, first, first, first]) await keep(target)
      expect(cache.find(first)).toBe(undefined)
      for (const target of [second, second, second]) await keep(target)
      await keep(first)
      expect(cache.find(first)).not.toBe(undefined)
    })

    it('are the same where their entity tags are the same', async () => {
      const [one, other] = [tagged('W/"1"'), tagged('W/"2"')]
      expect(await isKeptAfter([one, stale], [one, stale], [one, stale])).toBe(false)
      expect(await isKeptAfter([one, stale], [other, stale], [one, stale])).toBe(true)
    })

    it('stay counted when the same was made several times at once', async () => {
      const cache = responseCache(100_000)
      for (const _ of [1, 2, 3]) {
        for (const __ of [1, 2]) cache.store('/', bytes('one'), stale)
        await cache.find('/')?.isCurrent()
      }
      expect(cache.find('/')).toBe(undefined)
    })

    it('are not counted for each of those that were made at the same time', () => {
      const cache = responseCache(100_000)
      for (const _ of [1, 2, 3, 4]) cache.store('/', bytes('one'), stale)
      expect(cache.find('/')).toBeDefined()
    })
  })
})
