import { setTimeout as sleep } from 'node:timers/promises'
import {
  type Area,
  Failure,
  type Listing,
  Settings,
  type Signal,
  StoragePath,
  U64,
  type UserId,
  type Visibility,
} from '@canopy/domain'
import { dir, file, unhandledRejections, worldWith } from '@canopy/test-support'
import { headerOf, memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { guardPorts, type Ports, shareStorage } from '../src/ports.js'
import { SettingsSeen } from '../src/SettingsSeen.js'
import { later, logged, servedApps } from './inProcess.js'

const memory: Ports = memoryPorts(worldWith([dir('a', file('f'))]))

const settingsOver = (settingsOf: () => () => Promise<unknown>) =>
  guardPorts({ ...memory, settingsOf: settingsOf as Ports['settingsOf'] }, 10_000).settingsOf(1n as UserId.UserId)

const causeOf = (answer: E.Either<Failure.Failure, unknown>): unknown =>
  E.isLeft(answer) && answer.left.error === 'external' ? answer.left.cause : answer

// How a port may fail: faults.test.ts.
describe('a guarded port', () => {
  it('names a cause also of what cannot be turned into text', async () => {
    const answer = await settingsOver(() => () => Promise.reject(Object.create(null)))()
    expect(causeOf(answer)).toEqual(new Error('settingsOf threw [Object: null prototype] {}'))
  })

  it('does not keep a process alive', () => {
    const alive = () => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length
    const before = alive()
    void settingsOver(() => () => new Promise(() => undefined))()
    expect(alive()).toBe(before)
  })

  describe('that does not answer', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it('is given up when its time is up, not before', async () => {
      let answer: unknown = 'none yet'
      void settingsOver(() => () => new Promise(() => undefined))().then((found) => {
        answer = causeOf(found)
        return found
      })
      await vi.advanceTimersByTimeAsync(9_999)
      expect(answer).toBe('none yet')
      await vi.advanceTimersByTimeAsync(1)
      expect(answer).toEqual(new Error('settingsOf gave no answer within 10000 ms'))
    })

    it('may answer later: the answer is dropped, also when it rejects', async () => {
      const late: Array<() => void> = []
      const answering = settingsOver(() => () => new Promise((resolve) => late.push(() => resolve(E.right('late')))))
      const rejecting = settingsOver(() => () => new Promise((_, reject) => late.push(() => reject(new Error('late')))))
      const answers = Promise.all([answering(), rejecting()])
      await vi.advanceTimersByTimeAsync(10_000)
      const unhandled = await unhandledRejections(async () => {
        for (const end of late) end()
      })
      expect([unhandled, (await answers).map(causeOf)]).toEqual([[], [expect.any(Error), expect.any(Error)]])
    })

    it('leaves no timer behind once it has answered, failed or thrown', async () => {
      await settingsOver(() => TE.right(Settings.none))()
      await settingsOver(() => () => Promise.reject(new Error('no')))()
      expect(vi.getTimerCount()).toBe(0)
    })
  })
})

describe('the deadline of a request', () => {
  const served = servedApps()
  // More than one piece, so that the tree is streamed.
  const many = Array.from({ length: 5_000 }, (_, at) => file(`a${at}`.padEnd(60, '-')))
  const large = memoryPorts(worldWith([...many, ...['x', 'y', 'z'].map((name) => dir(name, file('in')))]))

  const treeOver = async (ports: Partial<Ports>) => {
    const { lines, log } = logged()
    const { ask } = await served({ ...large, ...ports }, { log, firstByteMs: 1_000, portMs: 900 })
    const { status, body } = await ask('/api/usercontent/v1/tree/id/1')
    return { status, text: body.toString(), lines }
  }

  it('is one for all its steps until the first byte: each may take what is left', async () => {
    const { status, lines } = await treeOver({
      areaOfUser: (user) => () => sleep(600).then(large.areaOfUser(user)),
      settingsOf: (owner) => () => sleep(600).then(large.settingsOf(owner)),
      list: (area, path) => () => sleep(600).then(large.list(area, path)),
    })
    expect(status).toBe(502)
    expect(lines[0]).toMatchObject({ cause: { message: 'the service gave no answer within 1000 ms' } })
    expect(lines[0]?.['ms']).toBeLessThan(1_800)
  })

  it('counts from the arrival of the request: what it waits in the queue is gone', async () => {
    const areaOfUser: Ports['areaOfUser'] = (user) => () => sleep(350).then(large.areaOfUser(user))
    const admission = { most: 100, atOnce: 1, longMs: 100_000 }
    const { ask } = await served({ ...large, areaOfUser }, { firstByteMs: 1_000, portMs: 900, admission })
    const answers = await Promise.all([0, 1].map((depth) => ask(`/api/usercontent/v1/tree/id/1?depth=${depth}`)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 502]))
  })

  it('ends what it takes: a place that is asked for after it is not given, since no one would give it back', async () => {
    let takes = 1_200
    const areaOfUser: Ports['areaOfUser'] = (user) => () => sleep(takes).then(large.areaOfUser(user))
    const admission = { most: 4, atOnce: 4, longMs: 100 }
    const { ask } = await served({ ...large, areaOfUser }, { firstByteMs: 1_000, portMs: 8_000, admission })
    const target = '/api/usercontent/v1/diritems/id/1'
    const late = await Promise.all([1, 2, 3, 4].map((limit) => ask(`${target}?limit=${limit}`)))
    expect(late.map(({ status }) => status)).toEqual([502, 502, 502, 502])
    await sleep(500)
    takes = 0
    expect((await ask(target)).status).toBe(200)
  })

  it('ends with the first byte: a tree that has begun is written to its end', async () => {
    const list: Ports['list'] = (area, path) => () => sleep(path === '/' ? 0 : 700).then(large.list(area, path))
    const { status, text } = await treeOver({ list })
    expect([status, text.match(/"name":"in"/g)?.length]).toEqual([200, 3])
  })
})

describe('listings that are shared', () => {
  const served = servedApps()
  const area: Area.Area = { owner: 1n as UserId.UserId, location: '1' as Area.AreaLocation }
  const other = { ...area, location: '2' as Area.AreaLocation }

  it('are read once for all that wait, each directory of each area, and again for those that came later', async () => {
    const readings: Array<() => void> = []
    const list: Ports['list'] = () => async () => {
      const { value, give } = later()
      const number = readings.push(give)
      await value
      return E.right({ entries: [], unlistable: number })
    }
    const shared = shareStorage({ nodeAt: () => TE.left(Failure.fileNotFound), list }, { ms: 0, bytes: 0 })
    const ask = async (of = area, path: string = StoragePath.root) =>
      E.getOrElse(() => ({ unlistable: 0 }))(await shared.list(of, path as StoragePath.StoragePath)()).unlistable
    const first = [ask(), ask()]
    await expect.poll(() => readings.length).toBe(1)
    const next = [ask(), ask(), ask()]
    const others = [ask(other), ask(area, '/a')]
    await expect.poll(() => readings.length).toBe(3)
    readings[0]?.()
    expect(await Promise.all(first)).toEqual([1, 1])
    await expect.poll(() => readings.length).toBe(4)
    for (const end of readings) end()
    expect(await Promise.all([...next, ...others])).toEqual([4, 4, 4, 2, 3])
    expect(readings.length).toBe(4)
  })

  it('share nothing between a mount point and an ordinary area at the same location', async () => {
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

  it('share no call with a question for the node at the same path', async () => {
    const dirNode = { type: 'dir', last_modified: U64.zero } as const
    const storage: Pick<Ports, 'nodeAt' | 'list'> = {
      nodeAt: () => TE.right(dirNode),
      list: () => TE.right({ entries: [], unlistable: 0 }),
    }
    const shared = shareStorage(storage, { ms: 0, bytes: 0 })
    const answers = await Promise.all([shared.nodeAt(area, StoragePath.root)(), shared.list(area, StoragePath.root)()])
    expect(answers).toEqual([E.right(dirNode), E.right({ entries: [], unlistable: 0 })])
  })

  it('share nothing between two walks: the older one may have read before the request', async () => {
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

  it('are given up when the last client that waits for them has gone', async () => {
    const readings: Array<Signal | undefined> = []
    const list: Ports['list'] =
      (of, path, { signal } = {}) =>
      () => {
        readings.push(signal)
        return new Promise((resolve) => signal?.addEventListener('abort', () => resolve(memory.list(of, path)())))
      }
    const shared = shareStorage({ ...memory, list }, { ms: 0, bytes: 0 })
    const { port } = await served(shared, { cacheBytes: 0 })
    const ask = () => {
      const client = new AbortController()
      void fetch(`http://127.0.0.1:${port}/api/usercontent/v1/diritems/id/1`, client).catch(() => undefined)
      return client
    }
    const areGivenUp = () => readings.map((signal) => signal?.aborted)
    const first = ask()
    await expect.poll(areGivenUp).toEqual([false])
    first.abort()
    await expect.poll(areGivenUp).toEqual([true])
    const clients = [ask(), ask(), ask()]
    await expect.poll(areGivenUp).toContain(false)
    for (const client of clients) client.abort()
    await expect.poll(areGivenUp).not.toContain(false)
  })
})

describe('answers of a storage that may be older', () => {
  const served = servedApps()

  const serve = async (ms: number, takesMs = 0) => {
    const asked: Array<string> = []
    const broken = { is: false }
    const beforeAnswer: Array<() => void> = []
    const set = { root: 'public' as Visibility.Visibility }
    const storage: Pick<Ports, 'nodeAt' | 'list'> = {
      nodeAt: (area, path) => {
        asked.push(`nodeAt ${path}`)
        beforeAnswer.shift()?.()
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
    return { ask, asked, broken, set, beforeAnswer }
  }

  it('are given again without a question, and say how old they are', async () => {
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
  ])('of at most %i ms have the Age %s, and are asked for again after that', async (ms, age) => {
    const { ask, asked } = await serve(ms)
    expect(await ask()).toMatchObject({ status: 200, age })
    await sleep(1.5 * ms)
    expect(await ask()).toMatchObject({ status: 200, age })
    expect(asked).toEqual(['list /', 'list /'])
  })

  it('count their age from the question, not from the answer of the storage', async () => {
    const { ask, asked } = await serve(1_500, 1_100)
    expect(Number((await ask()).age)).toBeGreaterThanOrEqual(1)
    await sleep(600)
    await ask()
    expect(asked).toEqual(['list /', 'list /'])
  })

  it('are never failures: what failed is asked for again', async () => {
    const { ask, broken } = await serve(60_000)
    broken.is = true
    expect(await ask()).toMatchObject({ status: 502, age: undefined })
    broken.is = false
    expect(await ask()).toMatchObject({ status: 200, age: '0' })
  })

  it('obey a setting that was changed in the meantime', async () => {
    const { ask, set } = await serve(60_000)
    expect(await ask()).toMatchObject({ status: 200 })
    set.root = 'private'
    expect(await ask()).toMatchObject({ status: 403, age: undefined })
  })

  it('are not used when they are older than the settings of the area', async () => {
    const { ask, asked, set } = await serve(60_000)
    await ask()
    await ask()
    expect(asked).toEqual(['list /'])
    set.root = 'hidden'
    expect(await ask()).toMatchObject({ status: 200, age: '0' })
    expect(asked).toEqual(['list /', 'list /'])
  })

  it('are replaced when the settings change during the request', async () => {
    const { ask, asked, set, beforeAnswer } = await serve(60_000)
    await ask()
    beforeAnswer.push(() => {
      set.root = 'hidden'
    })
    await ask('tree/id/1')
    expect(asked).toEqual(['list /', 'nodeAt /', 'nodeAt /', 'list /', 'list /a'])
  })
})
