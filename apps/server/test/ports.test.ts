import type { Failure } from '@canopy/domain'
import { unhandledRejections } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { withTimeout } from '../src/ports.js'

const causeOf = (answer: E.Either<Failure.Failure, unknown>): unknown =>
  E.isLeft(answer) && answer.left.error === 'external' ? answer.left.cause : answer

const inTime = (task: TE.TaskEither<never, unknown>) => withTimeout('the task', 10_000, task)

// faults.test.ts has the failures of ports.
describe('withTimeout', () => {
  describe('of a task that does not settle', () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    it('fails when the time is over, not before', async () => {
      let answer: unknown = 'none yet'
      void inTime(() => new Promise(() => undefined))().then((found) => {
        answer = causeOf(found)
        return found
      })
      await vi.advanceTimersByTimeAsync(9_999)
      expect(answer).toBe('none yet')
      await vi.advanceTimersByTimeAsync(1)
      expect(answer).toEqual(new Error('the task gave no answer within 10000 ms'))
    })

    it('drops a later result or rejection', async () => {
      const late: Array<() => void> = []
      const answering = inTime(() => new Promise((resolve) => late.push(() => resolve(E.right('late')))))
      const rejecting = inTime(() => new Promise((_, reject) => late.push(() => reject(new Error('late')))))
      const answers = Promise.all([answering(), rejecting()])
      await vi.advanceTimersByTimeAsync(10_000)
      const unhandled = await unhandledRejections(async () => {
        for (const end of late) end()
      })
      expect([unhandled, (await answers).map(causeOf)]).toEqual([[], [expect.any(Error), expect.any(Error)]])
    })
  })
})
