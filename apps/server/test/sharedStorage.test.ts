import { setTimeout as sleep } from 'node:timers/promises'
import { Area, Failure, type Listing, Settings, StoragePath, U64, type UserId } from '@canopy/domain'
import { collectGarbage, dir, file, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it, vi } from 'vitest'
import type { Ports } from '../src/ports.js'
import { askedAt, SettingsSeen, shareStorage } from '../src/sharedStorage.js'
import { servedApps } from './inProcess.js'

const memory: Ports = memoryPorts(worldWith([dir('a', file('f'))]))
const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('1') }
const maxAge = { ms: 60_000, bytes: 1_000_000 }

describe('shared listings', () => {
  it('are not shared between a mount point and an ordinary area at the same location', async () => {
    const answer =
      <A>(value: A) =>
      ({ isMountPoint }: Area.Area) =>
        isMountPoint === true ? TE.left(Failure.external(new Error('not mounted'))) : TE.right(value)
    const storage = { nodeAt: answer({ type: 'dir', last_modified: U64.zero } as const), list: answer({ entries: [] }) }
    const shared = shareStorage(storage as Pick<Ports, 'nodeAt' | 'list'>, maxAge)
    const mount = { ...area, isMountPoint: true }
    const asked = [area, mount].flatMap((of) => [
      shared.nodeAt(of, StoragePath.root)(),
      shared.list(of, StoragePath.root)(),
    ])
    expect((await Promise.all<E.Either<unknown, unknown>>(asked)).map(E.isRight)).toEqual([true, true, false, false])
  })

  it.each(['parent', 'previous'] as const)('are not shared between walks: %s', async (walk) => {
    const [old, fresh] = [0, 1].map((unlistable): Listing.Listing => ({ entries: [], unlistable }))
    let readings = 0
    const list: Ports['list'] =
      (_, __, options = {}) =>
      async () => {
        readings += 1
        return E.right({ entries: [], unlistable: options[walk]?.unlistable ?? 2 })
      }
    const shared = shareStorage({ nodeAt: () => TE.left(Failure.fileNotFound), list }, { ms: 0, bytes: 0 })
    const ask = (listing?: Listing.Listing) => shared.list(area, StoragePath.root, { [walk]: listing })()
    const answers = await Promise.all([ask(old), ask(fresh), ask(), ask(fresh)])
    expect(answers).toMatchObject([0, 1, 2, 1].map((unlistable) => ({ right: { unlistable } })))
    expect(readings).toBe(3)
  })
})

describe('answers of a storage with CANOPY_MAX_AGE_MS', () => {
  const served = servedApps()

  const serve = async (ms: number, takesMs = 0) => {
    const now = { isBroken: false, settings: Settings.fromRecord({ '/': 'public' }) }
    const nodeAt = vi.fn<Ports['nodeAt']>(memory.nodeAt)
    const list = vi.fn<Ports['list']>((area, path) => {
      const answer = now.isBroken ? TE.left(Failure.external(new Error('broken'))) : memory.list(area, path)
      return () => sleep(takesMs).then(answer)
    })
    const seen = new SettingsSeen()
    const settingsOf = seen.observing(() => async () => E.right(now.settings))
    const shared = shareStorage({ nodeAt, list }, { ...maxAge, ms }, ({ owner }) => seen.since(owner))
    const service = await served({ ...memory, settingsOf, ...shared }, { cacheBytes: 0 })
    const ask = async (lookup = 'diritems/id/1') => {
      const answer = await service.ask(`/api/usercontent/v1/${lookup}`)
      return { status: answer.status, age: headerOf(answer, 'Age'), text: answer.body.toString() }
    }
    return { ask, calls: () => [nodeAt, list].map(({ mock }) => mock.calls.length), now }
  }

  it('serve later requests, with their age', async () => {
    const { ask, calls } = await serve(60_000)
    const first = await ask('tree/id/1')
    expect(first).toMatchObject({ status: 200, age: '0' })
    const before = calls()
    await sleep(1_100)
    expect(await ask('tree/id/1')).toEqual({ ...first, age: '1' })
    expect(calls()).toEqual(before)
  })

  it.each([
    [200, '0'],
    [0, undefined],
  ])('of at most %i ms have Age %s, and expire', async (ms, age) => {
    const { ask, calls } = await serve(ms)
    expect(await ask()).toMatchObject({ status: 200, age })
    await sleep(1.5 * ms)
    expect(await ask()).toMatchObject({ status: 200, age })
    expect(calls()).toEqual([0, 2])
  })

  it('are as old as the call of the storage, not as its result', async () => {
    const { ask, calls } = await serve(1_500, 1_100)
    expect(Number((await ask()).age)).toBeGreaterThanOrEqual(1)
    await sleep(600)
    await ask()
    expect(calls()).toEqual([0, 2])
  })

  it('are as old as the page that they continue', async () => {
    const shared = shareStorage(memory, maxAge)
    const page = async (previous?: Listing.Listing) => {
      const answer = await shared.list(area, StoragePath.root, { after: previous && 'a', previous })()
      if (E.isLeft(answer)) throw new Error(answer.left.error)
      return answer.right
    }
    const first = await page()
    await sleep(5)
    expect(askedAt.get(await page(first))).toBe(askedAt.get(first))
  })

  it('are never failures', async () => {
    const { ask, now } = await serve(60_000)
    now.isBroken = true
    expect(await ask()).toMatchObject({ status: 502, age: undefined })
    now.isBroken = false
    expect(await ask()).toMatchObject({ status: 200, age: '0' })
  })

  it('are not older than the settings of their area', async () => {
    const { ask, calls, now } = await serve(60_000)
    await ask()
    await ask()
    expect(calls()).toEqual([0, 1])
    now.settings = Settings.fromRecord({ '/': 'hidden' })
    expect(await ask()).toMatchObject({ status: 200, age: '0' })
    expect(calls()).toEqual([0, 2])
  })

  it('release the listing by which an adapter finds its walk', async () => {
    const listings: Array<WeakRef<Listing.Listing>> = []
    const list: Ports['list'] = () => async () => {
      const listing: Listing.Listing = { entries: [], unlistable: 0 }
      listings.push(new WeakRef(listing))
      return E.right(listing)
    }
    const shared = shareStorage({ ...memory, list }, maxAge)
    await shared.list(area, StoragePath.root)()
    await collectGarbage()
    expect(listings.map((listing) => listing.deref())).toEqual([undefined])
    await shared.list(area, StoragePath.root)()
    expect(listings).toHaveLength(1)
  })
})
