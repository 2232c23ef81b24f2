import { Failure, Settings, StoragePath, type UserId } from '@canopy/domain'
import { unhandledRejections, worldOfManyCalls } from '@canopy/test-support'
import { memoryPorts, type Ports } from '@canopy/testkit'
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
