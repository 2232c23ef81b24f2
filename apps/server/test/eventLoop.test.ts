import { stat } from 'node:fs'
import { countTicks } from '@canopy/test-support'
import { describe, expect, it } from 'vitest'
import { endOfTick, fewPerTick, workQueue } from '../src/eventLoop.js'

const nextCheck = () => new Promise((resolve) => setImmediate(resolve))

describe('pieces of work of which a few are done in a round', () => {
  it('are begun in the next check phase, in the order in which they came, no more than so many in a round', async () => {
    const done: Array<string> = []
    const later = fewPerTick(2)
    for (const name of ['a', 'b', 'c', 'd', 'e']) later(() => done.push(name))
    expect(done).toEqual([])
    for (const so of ['ab', 'abcd', 'abcde', 'abcde']) {
      await nextCheck()
      expect(done.join('')).toBe(so)
    }
  })

  it('come again when all were done, and out of one another', async () => {
    const rounds = countTicks()
    const later = fewPerTick(1)
    const doneAt: Array<number> = []
    const twice = () => {
      doneAt.push(rounds.count())
      if (doneAt.length < 2) later(twice)
    }
    later(twice)
    while (doneAt.length < 2) await nextCheck()
    later(twice)
    while (doneAt.length < 3) await nextCheck()
    rounds.stop()
    expect(new Set(doneAt).size).toBe(3)
  })
})

describe('work that is done one after the other', () => {
  it('begins when what was asked for before it has ended, in that order', async () => {
    const inTurn = workQueue()
    const happened: Array<string> = []
    const work = (name: string) => async () => {
      happened.push(`${name} begins`)
      for (let turn = 0; turn < 3; turn++) await Promise.resolve()
      happened.push(`${name} ends`)
      return name
    }
    expect(await Promise.all(['a', 'b', 'c'].map((name) => inTurn(work(name))))).toEqual(['a', 'b', 'c'])
    expect(happened).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('goes on where some of it fails, of which only they hear who asked for it', async () => {
    const inTurn = workQueue()
    const failing = inTurn(() => Promise.reject(new Error('no')))
    const next = inTurn(async () => 'done')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('done')
  })
})

/** Goes on where requests are read: in the phase of the loop in which it polls, from what the last poll found. */
const whileReading = <A>(goOn: () => Promise<A>): Promise<A> =>
  new Promise((resolve) => stat('.', () => resolve(goOn())))

const roundsOf = async (wait: () => Promise<void>): Promise<number> => {
  const rounds = countTicks()
  const before = rounds.count()
  await wait()
  rounds.stop()
  return rounds.count() - before
}

describe('the end of a round', () => {
  it('is the same for all who wait for it, and the next one for who asks at the end', async () => {
    const first = endOfTick()
    expect(endOfTick()).toBe(first)
    await first
    expect(await roundsOf(endOfTick)).toBe(1)
  })

  it('comes before anything else is read', async () => {
    const happened: Array<string> = []
    await whileReading(async () => {
      stat('.', () => happened.push('read'))
      await endOfTick()
      happened.push('end')
    })
    expect(happened).toEqual(['end'])
  })
})
