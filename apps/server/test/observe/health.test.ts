import { Failure } from '@canopy/domain'
import { headerOf, memoryPorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Checks, readiness, reasonOfFailure } from '../../src/observe/health.js'
import { later, serviceOfFile } from '../inProcess.js'

const fine = TE.right(undefined)
const broken = TE.left(Failure.external(new Error('at /secret/place')))

describe('readiness', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  const counting = (check: Checks[string]) => {
    const storage = vi.fn<Checks[string]>(check)
    return { storage, ...readiness({ storage }) }
  }

  it('names the parts that fail, reject or throw, with causes only in the log', async () => {
    const reported = new Map<string, string>()
    const checks: Checks = {
      a: broken,
      b: fine,
      c: () => Promise.reject(new Error('rejected')),
      d: () => {
        throw new Error('thrown')
      },
    }
    const { verdict } = readiness(checks, (part, cause) => reported.set(part, reasonOfFailure(cause)))
    expect(await verdict()).toEqual(['a', 'c', 'd'])
    expect(Object.fromEntries(reported)).toEqual({ a: 'at /secret/place', c: 'rejected', d: 'thrown' })
  })

  const slow: Checks[string] = () => new Promise((resolve) => setTimeout(resolve, 1_500, E.right(1)))

  it.each([
    ['a second', 1_000, 0, fine],
    ['a quarter of a second, when a part has failed', 250, 0, broken],
    // Since the verdict, not since the request.
    ['a second, when a part takes its time', 1_000, 1_500, slow],
  ])('checks a part once within %s', async (_, ms, takes, check) => {
    const { storage, verdict } = counting(check)
    const first = Promise.all([verdict(), verdict(), verdict()])
    await vi.advanceTimersByTimeAsync(takes)
    await first
    await vi.advanceTimersByTimeAsync(ms - 1)
    await verdict()
    expect(storage).toHaveBeenCalledTimes(1)
    await vi.advanceTimersByTimeAsync(1)
    void verdict()
    await vi.advanceTimersByTimeAsync(0)
    expect(storage).toHaveBeenCalledTimes(2)
  })

  it('fails a part after two seconds, and waits for its answer without another check', async () => {
    const answer = later<E.Either<unknown, unknown>>()
    const { storage, verdict } = counting(() => answer.value)
    const found: Array<unknown> = []
    void verdict().then((given) => found.push(given))
    await vi.advanceTimersByTimeAsync(1_999)
    expect(found).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(found).toEqual([['storage']])
    await vi.advanceTimersByTimeAsync(5_000)
    const next = verdict()
    expect(storage).toHaveBeenCalledTimes(1)
    answer.give(E.right(undefined))
    expect(await next).toEqual([])
  })

  it('is draining at once and for good after a stop', async () => {
    const { storage, verdict, announceStop } = counting(fine)
    const before = verdict()
    announceStop()
    expect([await before, await verdict()]).toEqual(['draining', 'draining'])
    await vi.advanceTimersByTimeAsync(10_000)
    expect(await verdict()).toBe('draining')
    expect(storage).toHaveBeenCalledTimes(1)
  })
})

const { ask } = serviceOfFile(memoryPorts({ accounts: [], triggers: [] }))

it.each(['/healthz', '/readyz'])('%s accepts GET and HEAD with one valid Host', async (target) => {
  expect(await ask(target, {}, 'HEAD')).toMatchObject({ status: 200, body: Buffer.of() })
  for (const method of ['POST', 'OPTIONS']) {
    const refused = await ask(target, {}, method)
    expect([refused.status, headerOf(refused, 'Allow')]).toEqual([405, 'GET, HEAD'])
  }
  for (const hosts of [['a b'], ['a', 'b']]) {
    const headers = hosts.map((host) => ['Host', host] as const)
    expect((await ask(target, headers)).status).toBe(400)
  }
})
