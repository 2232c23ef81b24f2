import { setTimeout as sleep } from 'node:timers/promises'
import { type Area, Failure, Settings, StoragePath, type UserId, type Visibility } from '@canopy/domain'
import type { ListWhileEnv } from '@canopy/storage-fs'
import { dir, file, unhandledRejections, worldOfManyCalls, worldWith } from '@canopy/test-support'
import { memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { guardPorts, type Ports, shareStorage } from '../src/ports.js'
import { later } from './later.js'
import { servedApps } from './servedApps.js'

const memory = memoryPorts(worldOfManyCalls)
const owner = 1n as UserId.UserId

const settingsOver = (settingsOf: Ports['settingsOf']) =>
  guardPorts({ ...memory, settingsOf }, 10_000).settingsOf(owner)

const causeOf = (answer: E.Either<Failure.Failure, unknown>): unknown =>
  E.isLeft(answer) && answer.left.error === 'external' ? answer.left.cause : answer

describe('guarded ports', () => {
  it('pass on what a port answers, the very same value', async () => {
    const answer = E.right(Settings.none)
    expect(await settingsOver(() => async () => answer)()).toBe(answer)
  })

  it('pass on every error of a port as it is', async () => {
    const nowhere = StoragePath.root
    for (const failure of [Failure.fileNotFound, Failure.typeMismatch, Failure.external('the disk is gone')]) {
      const ports = guardPorts({ ...memory, nodeAt: () => TE.left(failure) }, 10_000)
      const area = { owner, location: '1' } as Parameters<Ports['nodeAt']>[0]
      expect(await ports.nodeAt(area, nowhere)()).toEqual(E.left(failure))
    }
  })

  it('ask a port again whenever they are run, and not before', async () => {
    let asked = 0
    const guarded = settingsOver(() => {
      asked += 1
      return TE.right(Settings.none)
    })
    expect(asked).toBe(0)
    await guarded()
    await guarded()
    expect(asked).toBe(2)
  })

  it('name a cause also of what cannot be turned into text', async () => {
    const answer = await settingsOver(() => () => Promise.reject(Object.create(null)))()
    expect(causeOf(answer)).toEqual(new Error('settingsOf threw [Object: null prototype] {}'))
  })
})

describe('a guarded port that does not answer', () => {
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
    const late: Array<(end: 'answer' | 'reject') => void> = []
    const hanging = settingsOver(
      () => () =>
        new Promise((resolve, reject) => {
          late.push((end) => (end === 'answer' ? resolve(E.right(Settings.none)) : reject(new Error('late'))))
        }),
    )
    const answers = Promise.all([hanging(), hanging()])
    await vi.advanceTimersByTimeAsync(10_000)
    const unhandled = await unhandledRejections(async () => {
      late[0]?.('answer')
      late[1]?.('reject')
    })
    expect(unhandled).toEqual([])
    expect((await answers).map(causeOf)).toEqual([expect.any(Error), expect.any(Error)])
  })

  it('leaves no timer behind once it has answered, failed or thrown', async () => {
    await settingsOver(() => TE.right(Settings.none))()
    await settingsOver(() => () => Promise.reject(new Error('no')))()
    expect(vi.getTimerCount()).toBe(0)
  })
})

const alive = (): number => process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length

describe('the timer of a guarded port', () => {
  it('does not keep a process alive', () => {
    const before = alive()
    void settingsOver(() => () => new Promise(() => undefined))()
    expect(alive()).toBe(before)
  })
})

const area: Area.Area = { owner: 1n as UserId.UserId, location: '1' as Area.AreaLocation }

describe('listings that are shared', () => {
  /** Each reading ends when a test says so. */
  const shared = () => {
    const readings: Array<() => void> = []
    const storage = {
      nodeAt: () => async () => E.left(Failure.fileNotFound),
      list: (_area: Area.Area, _path: StoragePath.StoragePath) => async () => {
        const { value, give } = later()
        readings.push(give)
        const number = readings.length
        await value
        return E.right({ entries: [], unlistable: number })
      },
    }
    const { list } = shareStorage(storage, { ms: 0, bytes: 0 })
    const ask = async (of = area, path = StoragePath.root) => {
      const listed = await list(of, path)()
      return E.isRight(listed) ? listed.right.unlistable : 0
    }
    return { readings, ask }
  }

  it('are read once for all that wait, and again for those that came after the reading began', async () => {
    const { readings, ask } = shared()
    const first = [ask(), ask()]
    await expect.poll(() => readings.length).toBe(1)
    const next = [ask(), ask(), ask()]
    await Promise.resolve()
    expect(readings.length).toBe(1)
    readings[0]?.()
    expect(await Promise.all(first)).toEqual([1, 1])
    await expect.poll(() => readings.length).toBe(2)
    readings[1]?.()
    expect(await Promise.all(next)).toEqual([2, 2, 2])
    expect(readings.length).toBe(2)
  })

  it('are those of one directory of one area', async () => {
    const { readings, ask } = shared()
    const other = { ...area, location: '2' as Area.AreaLocation }
    const asked = [ask(), ask(other), ask(area, '/a' as StoragePath.StoragePath)]
    await expect.poll(() => readings.length).toBe(3)
    for (const end of readings) end()
    expect(new Set(await Promise.all(asked))).toEqual(new Set([1, 2, 3]))
  })
})

describe('a directory that is being read', () => {
  const served = servedApps()

  /** Each reading goes on until all who wait for it have gone. */
  const serve = async () => {
    const readings: Array<AbortSignal | undefined> = []
    const memory: Ports = memoryPorts(worldWith())
    const list: ListWhileEnv['list'] = (area, path, _parent, waiting) => {
      readings.push(waiting)
      return () =>
        new Promise((resolve) => waiting?.addEventListener('abort', () => resolve(memory.list(area, path)())))
    }
    const { port } = await served(
      { ...memory, ...shareStorage({ ...memory, list }, { ms: 0, bytes: 0 }) },
      { cacheBytes: 0 },
    )
    const ask = () => {
      const client = new AbortController()
      void fetch(`http://127.0.0.1:${port}/api/usercontent/v1/diritems/id/1`, client).catch(() => undefined)
      return client
    }
    return { ask, isGivenUp: () => readings.map((waiting) => waiting?.aborted) }
  }

  it('is given up when the last client that waits for it has gone', async () => {
    const { ask, isGivenUp } = await serve()
    const first = ask()
    await expect.poll(isGivenUp).toEqual([false])
    first.abort()
    await expect.poll(isGivenUp).toEqual([true])
    const clients = [ask(), ask(), ask()]
    await expect.poll(isGivenUp).toContain(false)
    for (const client of clients) client.abort()
    await expect.poll(isGivenUp).not.toContain(false)
  })
})

describe('answers of a storage that may be older', () => {
  const served = servedApps()

  const serve = async (ms: number) => {
    const memory: Ports = memoryPorts(worldWith([dir('a', file('f'))]))
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
        return broken.is ? async () => E.left(Failure.external(new Error('broken'))) : memory.list(area, path)
      },
    }
    const settingsOf: Ports['settingsOf'] = () => async () => E.right(new Map([[StoragePath.root, set.root]]))
    const shared = shareStorage(storage, { ms, bytes: 1_000_000 })
    const { port } = await served({ ...memory, settingsOf, ...shared }, { cacheBytes: 0 })
    const ask = async (lookup: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}/api/usercontent/v1/${lookup}`)
      return { status: answer.status, age: answer.headers.get('Age'), text: await answer.text() }
    }
    return { ask, asked, broken, set }
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

  it('are asked for again when they are too old', async () => {
    const { ask, asked } = await serve(200)
    await ask('diritems/id/1')
    await sleep(300)
    expect(await ask('diritems/id/1')).toMatchObject({ status: 200, age: '0' })
    expect(asked).toEqual(['list /', 'list /'])
  })

  it('have no Age, and are asked for each time, where none may be older', async () => {
    const { ask, asked } = await serve(0)
    for (let i = 0; i < 2; i += 1) expect(await ask('diritems/id/1')).toMatchObject({ status: 200, age: null })
    expect(asked).toEqual(['list /', 'list /'])
  })

  it('are never failures: what failed is asked for again', async () => {
    const { ask, broken } = await serve(60_000)
    broken.is = true
    expect(await ask('diritems/id/1')).toMatchObject({ status: 502, age: null })
    broken.is = false
    expect(await ask('diritems/id/1')).toMatchObject({ status: 200, age: '0' })
  })

  it('obey a setting that was changed in the meantime', async () => {
    const { ask, set } = await serve(60_000)
    expect(await ask('diritems/id/1')).toMatchObject({ status: 200 })
    set.root = 'private'
    expect(await ask('diritems/id/1')).toMatchObject({ status: 403, age: null })
  })
})
