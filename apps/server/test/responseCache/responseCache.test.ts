import { connect } from 'node:net'
import { setImmediate as nextTick, setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Area, type Entry, Failure, type Listing, Settings, StoragePath, U64, type UserId } from '@canopy/domain'
import { Route } from '@canopy/http'
import { dir, file, token, worldWith as worldOf } from '@canopy/test-support'
import { headerOf, memoryPorts, type RawResponse, requestOf, scenarios, type World } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PortCall } from '../../src/portCall.js'
import type { Ports } from '../../src/ports.js'
import { type CacheableResponse, type Check, Recording, responseCache } from '../../src/responseCache.js'
import type { ServerEnv } from '../../src/server.js'
import { later, logged, servedApps, steadyPorts, withoutOwn } from '../inProcess.js'

const worldWith = (visibility: 'public' | 'private', state: 'valid' | 'revoked' = 'valid'): World =>
  worldOf(
    [file('a'), dir('d', file('a'))],
    { tokens: [{ token, scope: '/', state }], settings: [{ path: '/', visibility }] },
    [{ id: 'bell', value: '{"type":"bell"}', state: 'valid' }],
  )

const ofOwner = `/api/storage/v1/diritems/${token}/d`
const ofVisitor = '/api/usercontent/v1/diritems/id/1/d'
const ofTrigger = '/api/triggers/v1/peek/bell'

describe('a cached answer', () => {
  const served = servedApps()

  /** Over ports that return the same values until the world is replaced, except for the ones in `own`. */
  const serve = async (own: (steady: Ports) => Partial<Ports> = () => ({}), options: Partial<ServerEnv> = {}) => {
    const { ports, replace } = steadyPorts(worldWith('public'))
    const { lines, log } = logged()
    return { ...(await served({ ...ports, ...own(ports) }, { log, ...options })), replace, lines }
  }

  const shown = (answer: RawResponse) => [answer.status, withoutOwn(answer), answer.body.toString()]

  it('has the same bytes, a new request id and its own log line', async () => {
    const { ask, lines } = await serve()
    for (const path of [ofOwner, ofVisitor, `/api/storage/v1/tree/${token}`, ofTrigger]) {
      lines.length = 0
      const [first, again] = [await ask(path), await ask(path)]
      expect(shown(again)).toEqual(shown(first))
      expect(headerOf(again, 'X-Request-Id')).not.toBe(headerOf(first, 'X-Request-Id'))
      const [one, other] = lines
      const own = { id: headerOf(again, 'X-Request-Id'), ms: other?.['ms'], time: other?.['time'] }
      expect(other).toEqual({ ...one, ...own })
    }
  })

  it('has a line also when its client leaves before it is checked', async () => {
    const { value: ready, give } = later()
    let asked = 0
    const { ask, lines, port } = await serve(({ areaOfToken }) => ({
      areaOfToken: (secret) => async () => {
        asked += 1
        // The first request asks before and after it reads the storage.
        if (asked === 3) await ready
        return areaOfToken(secret)()
      },
    }))
    await ask(ofOwner)
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${ofOwner} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await expect.poll(() => asked).toBe(3)
    socket.destroy()
    await expect.poll(() => lines.length).toBe(2)
    expect(lines).toMatchObject([
      { operation: 'storageDirItems', status: 200 },
      { target: '(no operation)', aborted: true },
    ])
    give()
  })

  /** A directory that counts how often its entries are read: to check them once, and whenever an answer is made of them. */
  const countedListing = async (options: Partial<ServerEnv> = {}) => {
    const counted = { reads: 0 }
    const listings = new Map<string, Listing.Listing>()
    const { ask } = await serve(
      ({ list }) => ({
        list: (area, path) => async () => {
          const found = await list(area, path)()
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
        },
      }),
      options,
    )
    const readsBy = async (path: string) => {
      const before = counted.reads
      await ask(path)
      return counted.reads - before
    }
    return { ask, readsBy, counted }
  }

  it('is not made again, but with no memory for it', async () => {
    const { readsBy } = await countedListing()
    expect(await readsBy(ofVisitor)).toBeGreaterThan(0)
    expect(await readsBy(ofVisitor)).toBe(0)
    const uncached = await countedListing({ cacheBytes: 0 })
    await uncached.ask(ofVisitor)
    expect(await uncached.readsBy(ofVisitor)).toBeGreaterThan(0)
  })

  it('is not verified any more where a port gives new values each time: that would be to read twice', async () => {
    let listed = 0
    const { ask } = await serve(({ list }) => ({
      list: (area, path) => async () => {
        listed += 1
        return E.map((one: Listing.Listing) => ({ ...one }))(await list(area, path)())
      },
    }))
    const counts: Array<number> = []
    for (const _ of Array(5)) {
      await ask(ofVisitor)
      counts.push(listed)
    }
    expect(counts).toEqual([1, 3, 5, 6, 7])
  })

  it('is what would be answered without the cache, in every scenario and whatever was asked before', async () => {
    const worlds = [...new Set(scenarios.map(({ world }) => world))]
    const requests = scenarios.map(({ ask }) => requestOf(ask))
    const { ask, replace } = await serve()
    for (const world of [...worlds, ...worlds]) {
      replace(world)
      const uncached = await served(memoryPorts(world), { cacheBytes: 0 })
      for (const { target: path, headers } of requests) {
        const fresh = shown(await uncached.ask(path, headers))
        for (const _ of [1, 2]) expect([path, shown(await ask(path, headers))]).toEqual([path, fresh])
      }
    }
  })

  it('is given no more once its token is revoked, its account private or its trigger gone', async () => {
    const { ask, replace } = await serve()
    const statuses = () => Promise.all([ofOwner, ofVisitor, ofTrigger].map(async (path) => (await ask(path)).status))
    for (const _ of [1, 2]) expect(await statuses()).toEqual([200, 200, 200])
    replace({ ...worldWith('private', 'revoked'), triggers: [] })
    for (const _ of [1, 2]) expect(await statuses()).toEqual([401, 403, 404])
    replace(worldWith('public'))
    expect(await statuses()).toEqual([200, 200, 200])
  })

  it('is given no more once a node is another, or what could not be read can be', async () => {
    const now = { size: 1n, isLocked: true }
    const { ask } = await serve(({ nodeAt, list }) => ({
      nodeAt: (area, path) =>
        TE.map((node: Entry.Node) => (node.type === 'file' ? { ...node, size: U64.clamp(now.size) } : node))(
          nodeAt(area, path),
        ),
      list: (area, path) => (path === '/d' && now.isLocked ? TE.left(Failure.external('locked')) : list(area, path)),
    }))
    const shownOf = async () => [
      /"size":\d/.exec(String((await ask('/api/usercontent/v1/tree/id/1/a')).body))?.[0],
      String((await ask('/api/usercontent/v1/tree/id/1')).body).match(/"content"/g)?.length,
    ]
    for (const _ of [1, 2]) expect(await shownOf()).toEqual(['"size":1', 2])
    Object.assign(now, { size: 2n, isLocked: false })
    for (const _ of [1, 2]) expect(await shownOf()).toEqual(['"size":2', 3])
  })

  it('is for GET and HEAD with one Host header that is right', async () => {
    const { ask } = await serve()
    const first = await ask(ofVisitor)
    const head = await ask(ofVisitor, [], 'HEAD')
    expect([head.status, head.headers.length, head.body.length]).toEqual([200, first.headers.length, 0])
    for (const hosts of [['a', 'b'], ['a b/@']]) {
      const headers = hosts.map((host) => ['Host', host] as const)
      expect((await ask(ofVisitor, headers)).status).toBe(400)
    }
    expect((await ask(ofVisitor, [], 'POST')).status).toBe(405)
    expect((await ask(ofVisitor, [], 'OPTIONS')).status).toBe(204)
    expect((await ask(ofVisitor, [['If-None-Match', headerOf(first, 'ETag') ?? '']])).status).toBe(304)
  })
})

describe('a recording', () => {
  const user = 1n as UserId.UserId
  const ports = memoryPorts({ accounts: [], triggers: [] })
  const settings = Settings.none
  const settingsOf = (owner: bigint): PortCall => ({ port: 'settingsOf', args: [owner as UserId.UserId] })

  it('has no checks after a failure, or of more than 256 calls', () => {
    const recording = new Recording()
    for (let owner = 0n; owner < 256n; owner += 1n) recording.add(settingsOf(owner), E.right(settings))
    expect(recording.checks(ports)?.length).toBe(256)
    recording.add(settingsOf(256n), E.right(settings))
    expect(recording.checks(ports)).toBe(undefined)
    const failing = new Recording()
    failing.add({ port: 'areaOfUser', args: [user] }, E.left(Failure.permissionDenied))
    failing.add(settingsOf(1n), E.right(settings))
    expect(failing.checks(ports)).toBe(undefined)
  })

  it('has one check for a repeated call of the registry, unless its value changed', () => {
    const recording = new Recording()
    for (const _ of [1, 2, 3]) recording.add(settingsOf(1n), E.right(settings))
    expect(recording.checks(ports)?.length).toBe(1)
    recording.add(settingsOf(1n), E.right(Settings.fromMap(new Map())))
    expect(recording.checks(ports)).toBe(undefined)
  })

  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')

  it('leaves checks that hold neither values nor the listing of a parent', async () => {
    const checks = () => {
      const recording = new Recording()
      const value = Settings.fromMap(new Map())
      const parent: Listing.Listing = { entries: [], unlistable: 0 }
      const area: Area.Area = { owner: user, location: Area.location('1') }
      recording.add(settingsOf(1n), E.right(value))
      recording.add({ port: 'list', args: [area, StoragePath.root, { parent }] }, E.right({ ...parent }))
      return {
        held: recording.checks(ports),
        refs: [value, parent, recording].map((each) => new WeakRef<object>(each)),
      }
    }
    const { held, refs } = checks()
    await sleep(0)
    collect()
    expect(refs.map((ref) => ref.deref())).toEqual([undefined, undefined, undefined])
    expect(held).toHaveLength(2)
  })
})

describe('cached answers', () => {
  const given = (bytes: number | string, etag?: string): CacheableResponse => ({
    match: { route: Route.routes.storageTree, params: { credential: '', path: '', query: '' } },
    response: {
      status: 200,
      headers: {},
      body: {
        is: 'bytes',
        bytes: typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.alloc(bytes),
        nodes: 0,
        ...(etag === undefined ? {} : { etag }),
      },
    },
  })
  const stale = [async () => false]
  const steady = [async () => true]

  it('take no more memory than they may, and the longest unused goes first', () => {
    const cache = responseCache(24_000)
    const targets = ['/1', '/2', '/3', '/4']
    for (const each of targets) {
      cache.store(each, given(2_000), [])
      cache.find('/1')
    }
    expect(targets.filter((each) => cache.find(each) !== undefined)).toEqual(['/1', '/3', '/4'])
  })

  it.each<readonly [string, string, CacheableResponse, ReadonlyArray<Check> | undefined]>([
    ['too large', '/', given(24_000), []],
    ['what is too much to verify', '/', given(0), Array(100).fill(steady[0])],
    ['found by too much', `/${'a'.repeat(20_000)}`, given(0), []],
    ['what cannot be verified', '/', given(1), undefined],
  ])('are none of %s', (_, asked, answer, lookups) => {
    const cache = responseCache(24_000)
    cache.store(asked, answer, lookups)
    expect(cache.find(asked)).toBe(undefined)
  })

  it.each<readonly [string, Check, boolean | undefined]>([
    ['hangs for five seconds', () => new Promise(() => undefined), undefined],
    ['rejects', () => Promise.reject(new Error('a defect')), false],
  ])('do not stand when a check %s', async (_, check, before) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const cache = responseCache(24_000)
    cache.store('/', given(1), [...steady, check])
    let isFresh: boolean | undefined
    const checked = cache.find('/')?.isFresh()
    void checked?.then((found) => {
      isFresh = found
      return found
    })
    // The check begins at the end of the tick.
    for (const _ of [1, 2, 3]) await nextTick()
    await vi.advanceTimersByTimeAsync(4_999)
    expect(isFresh).toBe(before)
    await vi.advanceTimersByTimeAsync(1)
    expect(isFresh).toBe(false)
  })

  describe('that fell', () => {
    const [one, other] = [given('one'), given('other')]
    const [tagged, another] = [given('one', 'W/"1"'), given('one', 'W/"2"')]

    it.each([
      [true, 'checked for nothing once', [one, stale], [one, stale]],
      [false, 'twice in a row', [one, stale], [one, stale], [one, stale]],
      [false, 'twice in a row, then steady', [one, stale], [one, stale], [one, steady]],
      [true, 'another in the end', [one, stale], [one, stale], [other, stale]],
      [true, 'another each time', [one, stale], [other, stale], [one, stale], [other, stale]],
      [true, 'steady in between', [one, stale], [one, steady], [one, stale], [one, stale]],
      [false, 'of one entity tag', [tagged, stale], [tagged, stale], [tagged, stale]],
      [true, 'of another entity tag', [tagged, stale], [another, stale], [tagged, stale]],
    ] as ReadonlyArray<[boolean, string, ...Array<[CacheableResponse, ReadonlyArray<Check>]>]>)(
      'are cached again, %s: %s',
      async (isCached, _, ...answers) => {
        const cache = responseCache(100_000)
        for (const [answer, lookups] of answers) {
          cache.store('/', answer, lookups)
          await cache.find('/')?.isFresh()
        }
        expect(cache.find('/') !== undefined).toBe(isCached)
      },
    )

    it('are counted once where the same is made several times at once', async () => {
      const cache = responseCache(100_000)
      for (const _ of Array(4)) cache.store('/', one, stale)
      expect(cache.find('/')).toBeDefined()
      for (const _ of Array(3)) {
        await cache.find('/')?.isFresh()
        for (const __ of [1, 2]) cache.store('/', one, stale)
      }
      expect(cache.find('/')).toBe(undefined)
    })
  })
})
