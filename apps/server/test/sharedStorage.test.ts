import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  type Area,
  Failure,
  type Listing,
  Settings,
  StoragePath,
  U64,
  type UserId,
  type Visibility,
} from '@canopy/domain'
import { dir, file, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { Ports } from '../src/ports.js'
import { SettingsSeen, shareStorage } from '../src/sharedStorage.js'
import { servedApps } from './inProcess.js'

const memory: Ports = memoryPorts(worldWith([dir('a', file('f'))]))

describe('shared listings', () => {
  const area: Area.Area = { owner: 1n as UserId.UserId, location: '1' as Area.AreaLocation }

  it('are not shared between a mount point and an ordinary area at the same location', async () => {
    const answer =
      <A>(value: A) =>
      ({ isMountPoint }: Area.Area) =>
        isMountPoint === true ? TE.left(Failure.external(new Error('not mounted'))) : TE.right(value)
    const storage = { nodeAt: answer({ type: 'dir', last_modified: U64.zero } as const), list: answer({ entries: [] }) }
    const shared = shareStorage(storage as Pick<Ports, 'nodeAt' | 'list'>, { ms: 60_000, bytes: 1_000_000 })
    const mount = { ...area, isMountPoint: true }
    const ask = async (of: Area.Area) => [
      E.isRight(await shared.nodeAt(of, StoragePath.root)()),
      E.isRight(await shared.list(of, StoragePath.root)()),
    ]
    expect(await Promise.all([ask(area), ask(mount)])).toEqual([
      [true, true],
      [false, false],
    ])
  })

  it('are not shared between walks', async () => {
    const [old, fresh] = [0, 1].map((unlistable): Listing.Listing => ({ entries: [], unlistable }))
    let readings = 0
    const list: Ports['list'] =
      (_, __, { parent } = {}) =>
      async () => {
        readings += 1
        return E.right({ entries: [], unlistable: parent?.unlistable ?? 2 })
      }
    const shared = shareStorage({ nodeAt: () => TE.left(Failure.fileNotFound), list }, { ms: 0, bytes: 0 })
    const ask = async (parent?: Listing.Listing) =>
      E.getOrElse(() => ({ unlistable: -1 }))(await shared.list(area, '/a' as StoragePath.StoragePath, { parent })())
        .unlistable
    expect(await Promise.all([ask(old), ask(fresh), ask(), ask(fresh)])).toEqual([0, 1, 2, 1])
    expect(readings).toBe(3)
  })
})

describe('answers of a storage with CANOPY_MAX_AGE_MS', () => {
  const served = servedApps()

  const serve = async (ms: number, takesMs = 0) => {
    const asked: Array<string> = []
    const broken = { is: false }
    const set = { root: 'public' as Visibility.Visibility }
    const storage: Pick<Ports, 'nodeAt' | 'list'> = {
      nodeAt: (area, path) => {
        asked.push(`nodeAt ${path}`)
        return memory.nodeAt(area, path)
      },
      list: (area, path) => {
        asked.push(`list ${path}`)
        const answer = broken.is ? TE.left(Failure.external(new Error('broken'))) : memory.list(area, path)
        return () => sleep(takesMs).then(answer)
      },
    }
    const settings = {
      public: Settings.fromRecord({ '/': 'public' }),
      hidden: Settings.fromRecord({ '/': 'hidden' }),
      private: Settings.fromRecord({ '/': 'private' }),
    }
    const settingsSeen = new SettingsSeen()
    const settingsOf = settingsSeen.observing(() => async () => E.right(settings[set.root]))
    const shared = shareStorage(
      storage,
      { ms, bytes: 1_000_000 },
      { notBefore: ({ owner }) => settingsSeen.since(owner) },
    )
    const service = await served({ ...memory, settingsOf, ...shared }, { cacheBytes: 0 })
    const ask = async (lookup = 'diritems/id/1') => {
      const answer = await service.ask(`/api/usercontent/v1/${lookup}`)
      return { status: answer.status, age: headerOf(answer, 'Age'), text: answer.body.toString() }
    }
    return { ask, asked, broken, set }
  }

  it('serve later requests, with their age', async () => {
    const { ask, asked } = await serve(60_000)
    const first = await ask('tree/id/1')
    expect(first).toMatchObject({ status: 200, age: '0' })
    const questions = [...asked]
    await sleep(1_100)
    expect(await ask('tree/id/1')).toEqual({ ...first, age: '1' })
    expect(asked).toEqual(questions)
  })

  it.each([
    [200, '0'],
    [0, undefined],
  ])('of at most %i ms have Age %s, and expire', async (ms, age) => {
    const { ask, asked } = await serve(ms)
    expect(await ask()).toMatchObject({ status: 200, age })
    await sleep(1.5 * ms)
    expect(await ask()).toMatchObject({ status: 200, age })
    expect(asked).toEqual(['list /', 'list /'])
  })

  it('are as old as the call of the storage, not as its result', async () => {
    const { ask, asked } = await serve(1_500, 1_100)
    expect(Number((await ask()).age)).toBeGreaterThanOrEqual(1)
    await sleep(600)
    await ask()
    expect(asked).toEqual(['list /', 'list /'])
  })

  it('are never failures', async () => {
    const { ask, broken } = await serve(60_000)
    broken.is = true
    expect(await ask()).toMatchObject({ status: 502, age: undefined })
    broken.is = false
    expect(await ask()).toMatchObject({ status: 200, age: '0' })
  })

  it('are not older than the settings of their area', async () => {
    const { ask, asked, set } = await serve(60_000)
    await ask()
    await ask()
    expect(asked).toEqual(['list /'])
    set.root = 'hidden'
    expect(await ask()).toMatchObject({ status: 200, age: '0' })
    expect(asked).toEqual(['list /', 'list /'])
  })

  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')

  it('do not keep the walk alive that returned them', async () => {
    const area: Area.Area = { owner: 1n as UserId.UserId, location: '1' as Area.AreaLocation }
    const walks = new WeakMap<object, object>()
    let calls = 0
    const list: Ports['list'] = (of, path) => async () => {
      calls += 1
      const page = await memory.list(of, path)()
      if (E.isRight(page)) walks.set(page.right, { pages: [] })
      return page
    }
    const shared = shareStorage({ ...memory, list }, { ms: 60_000, bytes: 1_000_000 })
    const walkOf = async () => {
      const page = await shared.list(area, StoragePath.root)()
      const walk = E.isRight(page) ? walks.get(page.right) : undefined
      return walk && new WeakRef(walk)
    }
    const walk = await walkOf()
    expect(walk).toBeDefined()
    await sleep(0)
    collect()
    expect(walk?.deref()).toBe(undefined)
    await walkOf()
    expect(calls).toBe(1)
  })
})
