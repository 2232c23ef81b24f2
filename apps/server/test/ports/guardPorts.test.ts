import {
  type AccessToken,
  Area,
  Failure,
  type Listing,
  Settings,
  StoragePath,
  type TriggerId,
  type TriggerValue,
  type UserId,
} from '@canopy/domain'
import { busyFor, countTicks, unhandledRejections, worldOfManyCalls } from '@canopy/test-support'
import { type FaultName, failingAt, faults, memoryPorts, type Ports } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { guardPorts } from '../../src/ports.js'

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

  it('answer external where a port gives what only another one may, or a scope that is no path', async () => {
    const area: Area.Area = { owner, location: Area.location('1') }
    const { areaOfToken, areaOfUser } = guardPorts(
      {
        ...memory,
        areaOfToken: () => TE.right({ area, scope: 'photos' as StoragePath.StoragePath }),
        areaOfUser: () => TE.left(Failure.notVerified as never),
      },
      10_000,
    )
    const token = `cnp_${'a'.repeat(42)}A` as AccessToken.AccessToken
    expect(causeOf(await areaOfToken(token)())).toEqual(new Error('areaOfToken gave what is none of its answers'))
    expect(causeOf(await areaOfUser(owner)())).toEqual(new Error('areaOfUser gave what is none of its answers'))
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

  it.each(Object.keys(faults).filter((how) => how !== 'never answers') as ReadonlyArray<FaultName>)(
    'name the cause as an Error when a port %s',
    async (how) => {
      const { ports } = failingAt(memory, 1, how)
      expect(causeOf(await guardPorts(ports, 10_000).settingsOf(owner)())).toBeInstanceOf(Error)
    },
  )

  it('name a cause also of what cannot be turned into text', async () => {
    const answer = await settingsOver(() => () => Promise.reject(Object.create(null)))()
    expect(causeOf(answer)).toEqual(new Error('settingsOf threw [Object: null prototype] {}'))
  })
})

describe('a guarded listing', () => {
  const area: Area.Area = { owner, location: Area.location('1') }
  const entry = { type: 'dir', name: 'a', last_modified: 1n }
  const many = Array.from({ length: 5_000 }, () => entry)
  const listed = (entries: unknown) =>
    guardPorts({ ...memory, list: () => TE.right({ entries, unlistable: 0 } as Listing.Listing) }, 10_000).list(
      area,
      StoragePath.root,
    )()

  it('is looked at to the last of many entries', async () => {
    expect(E.isRight(await listed(many))).toBe(true)
    expect(causeOf(await listed([...many, { ...entry, name: 7 }]))).toEqual(
      new Error('list gave what is none of its answers'),
    )
  })

  it('names its entries and tells their numbers as the interface does', async () => {
    const file = { type: 'file', name: 'a', size: 1n, last_modified: 1n }
    expect(E.isRight(await listed([file]))).toBe(true)
    for (const wrong of [
      { ...file, size: -1n },
      { ...file, size: 2n ** 64n },
      { ...file, last_modified: -1n },
      { ...file, name: '' },
      { ...file, name: '..' },
      { ...file, name: 'd/secret' },
    ])
      expect(E.isLeft(await listed([wrong]))).toBe(true)
  })

  it('may hold its entries in any way that gives them', async () => {
    const given = (entries: ReadonlyArray<unknown>, instead: object = {}): unknown =>
      Object.assign(
        {
          length: entries.length,
          at: (index: number) => entries.at(index),
          [Symbol.iterator]: () => entries[Symbol.iterator](),
        },
        instead,
      )
    expect(E.isRight(await listed(given([entry, entry])))).toBe(true)
    for (const wrong of [
      given([entry, { ...entry, type: 'link' }]),
      given([entry], { length: 2 }),
      given([entry], { length: undefined }),
      given([entry], { at: undefined }),
      given([entry], { [Symbol.iterator]: undefined }),
      null,
      'a',
    ])
      expect(E.isLeft(await listed(wrong))).toBe(true)
  })

  it('tells how many it cannot list', async () => {
    for (const unlistable of [undefined, null, '0']) {
      // As of an adapter without types.
      const list = () => TE.right({ entries: [], unlistable } as unknown as Listing.Listing)
      expect(E.isLeft(await guardPorts({ ...memory, list }, 10_000).list(area, StoragePath.root)())).toBe(true)
    }
  })

  it('names what it could not look at with names', async () => {
    const listedWith = (unknown: unknown) => {
      // As of an adapter without types.
      const list = () => TE.right({ entries: [], unlistable: 0, unknown } as unknown as Listing.Listing)
      return guardPorts({ ...memory, list }, 10_000).list(area, StoragePath.root)()
    }
    for (const names of [[], ['a', 'b']]) expect(E.isRight(await listedWith({ names, cause: null }))).toBe(true)
    for (const wrong of [
      null,
      {},
      'a',
      { names: 'a' },
      { names: new Set(['a']) },
      { names: ['a', '..'] },
      { names: [7] },
    ])
      expect(E.isLeft(await listedWith(wrong))).toBe(true)
  })

  it('yields to other work', async () => {
    const rounds = countTicks()
    const seenIn = new Set<number>()
    const slow = {
      ...entry,
      get name() {
        seenIn.add(rounds.count())
        busyFor(2)
        return 'slow'
      },
    }
    await listed(many.map((each, at) => (at % 2_500 === 0 ? slow : each)))
    rounds.stop()
    expect(seenIn.size).toBe(2)
  })
})

describe('a guarded area', () => {
  it('has an owner and a location', async () => {
    const given = (area: unknown) =>
      guardPorts({ ...memory, areaOfUser: () => TE.right(area as Area.Area) }, 10_000).areaOfUser(owner)()
    const area = { owner, location: '1' }
    expect(E.isRight(await given(area))).toBe(true)
    for (const wrong of [{ ...area, owner: '1' }, { ...area, owner: -1n }, { ...area, location: 1 }, null])
      expect(E.isLeft(await given(wrong))).toBe(true)
  })
})

describe('guarded settings', () => {
  const many = 5_000
  const paths = Array.from({ length: many }, (_, index) => `/${index}` as StoragePath.StoragePath)
  const settingsWith = (last: string) =>
    new Map(paths.map((path, at) => [path, at === many - 1 ? last : 'public'])) as Settings.Settings
  const given = (settings: Settings.Settings) => settingsOver(() => TE.right(settings))()

  it('are looked at to the last of many', async () => {
    expect(E.isRight(await given(settingsWith('hidden')))).toBe(true)
    expect(causeOf(await given(settingsWith('secret')))).toEqual(
      new Error('settingsOf gave what is none of its answers'),
    )
  })

  it('yield to other work', async () => {
    const rounds = countTicks()
    const seenIn = new Set<number>()
    const settings = settingsWith('public')
    const slowly = function* () {
      let at = 0
      for (const each of Map.prototype.values.call(settings)) {
        if (at % 2_500 === 0) {
          seenIn.add(rounds.count())
          busyFor(2)
        }
        at += 1
        yield each
      }
    }
    await given(Object.assign(settings, { values: slowly }))
    rounds.stop()
    expect(seenIn.size).toBe(2)
  })
})

describe('a guarded trigger', () => {
  const given = (value: TriggerValue.TriggerValue) =>
    guardPorts({ ...memory, triggerOf: () => TE.right(value) }, 10_000).triggerOf('x' as TriggerId.TriggerId)()

  it('holds JSON, of the type that it tells', async () => {
    expect(E.isRight(await given({ type: 't', json: '{"type":"t"}' }))).toBe(true)
    for (const json of ['}{', '[]', '{}', '{"type":"other"}'])
      expect(E.isLeft(await given({ type: 't', json }))).toBe(true)
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
