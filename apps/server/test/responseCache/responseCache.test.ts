import { setImmediate as nextTick } from 'node:timers/promises'
import {
  Area,
  type Entry,
  Failure,
  type Listing,
  type Name,
  Settings,
  StoragePath,
  U64,
  type UserId,
} from '@canopy/domain'
import { Route } from '@canopy/http'
import { collectGarbage, dir, file, token, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts, type RawResponse, requestOf, scenarios } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { PortCall, Ports } from '../../src/ports.js'
import { type Check, Recording } from '../../src/Recording.js'
import { type CacheableResponse, responseCache } from '../../src/responseCache.js'
import type { ServerEnv } from '../../src/server.js'
import { logged, servedApps, steadyPorts, withoutOwn } from '../inProcess.js'

const bell = { id: 'bell', value: '{"type":"bell"}', state: 'valid' } as const
const world = worldWith([file('a'), dir('d', file('a'))], {}, [bell])

const ofOwner = `/api/storage/v1/diritems/${token}/d`
const ofVisitor = '/api/usercontent/v1/diritems/id/1/d'
const ofTrigger = '/api/triggers/v1/peek/bell'

describe('a cached answer', () => {
  const served = servedApps()

  const serve = async (own: (steady: Ports) => Partial<Ports> = () => ({}), options: Partial<ServerEnv> = {}) => {
    const { ports, replace } = steadyPorts(world)
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

  it('leaves half of the requests to others when the mount that it needs hangs', async () => {
    const target = `/api/storage/v1/tree/${token}/d?depth=0`
    const hanging: Array<() => void> = []
    let hangs = false
    const nodeAt: Ports['nodeAt'] = (...args) => {
      const task = memoryPorts(world).nodeAt(...args)
      return hangs ? () => new Promise<void>((resolve) => hanging.push(resolve)).then(task) : task
    }
    const { ask } = await serve(() => ({ nodeAt }), { maxAdmitted: 4, mountOf: () => '/mnt/files' })
    await ask(target)
    hangs = true
    const asked = [1, 2, 3, 4].map(() => ask(target))
    await expect.poll(() => hanging.length).toBe(2)
    expect((await ask(ofTrigger)).status).toBe(200)
    for (const end of hanging) end()
    expect((await Promise.all(asked)).filter(({ status }) => status === 503)).toHaveLength(2)
  })

  it.each<[string, Partial<ServerEnv>, boolean]>([
    ['with memory', { cacheBytes: 1_000_000 }, true],
    ['without memory', { cacheBytes: 0 }, false],
    ['with a mount below the requested path', { mountOf: (_, path) => (path === '/a' ? '/mnt' : undefined) }, false],
  ])('%s is not written again: %s', async (_, options, isCached) => {
    const entries: Array<Entry.Entry> = [{ type: 'dir', name: 'a' as Name.Name, last_modified: U64.zero }]
    const listing: Listing.Listing = { entries, unlistable: 0 }
    const { ask } = await serve(() => ({ list: () => TE.right(listing) }), options)
    const target = '/api/usercontent/v1/tree/id/1?depth=2'
    const { body } = await ask(target)
    entries.pop()
    expect((await ask(target)).body.equals(body)).toBe(isCached)
  })

  it('equals the answer without the cache, in every scenario', async () => {
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

  it('is dropped when a node changes, or an unreadable directory can be read', async () => {
    const now = { size: 1n, isLocked: true }
    const sized = (node: Entry.Node) => (node.type === 'file' ? { ...node, size: U64.clamp(now.size) } : node)
    const { ask } = await serve(({ nodeAt, list }) => ({
      nodeAt: (...args) => TE.map(sized)(nodeAt(...args)),
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

  it('is for GET and HEAD with one valid Host', async () => {
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

  const checksOf = (...calls: ReadonlyArray<readonly [PortCall, E.Either<unknown, object>]>) => {
    const recording = new Recording()
    for (const [call, result] of calls) recording.add(call, result)
    return recording.checks(ports)?.length
  }

  it('has one check for equal calls, at most 256 checks, and no check after a failure', () => {
    const first = [settingsOf(1n), E.right(settings)] as const
    const many = Array.from({ length: 257 }, (_, owner) => [settingsOf(BigInt(owner)), E.right(settings)] as const)
    expect(checksOf(first, first, first)).toBe(1)
    expect(checksOf(first, [settingsOf(1n), E.right(Settings.fromMap(new Map()))])).toBe(undefined)
    expect(checksOf(...many.slice(1))).toBe(256)
    expect(checksOf(...many)).toBe(undefined)
    expect(checksOf([{ port: 'areaOfUser', args: [user] }, E.left(Failure.permissionDenied)], first)).toBe(undefined)
  })

  it('returns checks that hold neither values nor the listing of a parent', async () => {
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
    await collectGarbage()
    expect(refs.map((ref) => ref.deref())).toEqual([undefined, undefined, undefined])
    expect(held).toHaveLength(2)
  })
})

describe('cached answers', () => {
  const given = (bytes: number): CacheableResponse => ({
    match: { route: Route.routes.storageTree, params: { credential: '', path: '', query: '' } },
    response: { status: 200, headers: {}, body: { is: 'bytes', bytes: Buffer.alloc(bytes), nodes: 0 } },
  })
  const steady = [async () => true]

  it('evict the longest unused beyond their memory', () => {
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
    ['with too many checks', '/', given(0), Array(100).fill(steady[0])],
    ['with too long a target', `/${'a'.repeat(20_000)}`, given(0), []],
    ['without checks', '/', given(1), undefined],
  ])('exclude an answer that is %s', (_, asked, answer, lookups) => {
    const cache = responseCache(24_000)
    cache.store(asked, answer, lookups)
    expect(cache.find(asked)).toBe(undefined)
  })

  it.each<readonly [string, Check]>([
    ['hangs for five seconds', () => new Promise(() => undefined)],
    ['rejects', () => Promise.reject(new Error('a defect'))],
  ])('are stale when a check %s', async (_, check) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const cache = responseCache(24_000)
    cache.store('/', given(1), [...steady, check])
    const isFresh = cache.find('/')?.isFresh()
    for (const _ of [1, 2, 3]) await nextTick()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await isFresh).toBe(false)
  })
})
