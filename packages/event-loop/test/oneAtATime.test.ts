import { setImmediate as round } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { oneAtATime } from '../src/oneAtATime.js'

/** Works that answer how many began before, and end when they are told to. */
const works = () => {
  const ends: Array<() => void> = []
  const work = () => {
    const end = new Promise<void>((resolve) => void ends.push(resolve))
    return { answer: Promise.resolve(`work ${ends.length}`), end }
  }
  return { work, begun: () => ends.length, end: () => ends.at(-1)?.() }
}

describe('one at a time', () => {
  it('answers all who asked before the work began', async () => {
    const { work, begun } = works()
    const ask = oneAtATime<string>(() => undefined)
    expect(await Promise.all([ask('key', work), ask('key', work)])).toEqual(['work 1', 'work 1'])
    expect(begun()).toBe(1)
  })

  it('makes who asks later wait for its end, and begins anew, once for all of them', async () => {
    const { work, begun, end } = works()
    const ask = oneAtATime<string>(() => undefined)
    await ask('key', work)
    const later = [ask('key', work), ask('key', work)]
    await round()
    expect(begun()).toBe(1)
    end()
    expect(await Promise.all(later)).toEqual(['work 2', 'work 2'])
  })

  it('answers who waited with what is known at its end', async () => {
    const { work, begun, end } = works()
    const known = new Map<string, string>()
    const ask = oneAtATime((key) => known.get(key))
    await ask('key', work)
    const later = ask('key', work)
    known.set('key', 'known')
    end()
    expect([await later, begun()]).toEqual(['known', 1])
  })

  it('holds up nobody who asks for something else', async () => {
    const { work } = works()
    const ask = oneAtATime<string>(() => undefined)
    expect([await ask('key', work), await ask('other', work)]).toEqual(['work 1', 'work 2'])
  })

  it('goes on after work that failed', async () => {
    const { work } = works()
    const ask = oneAtATime<string>(() => undefined)
    const failing = () => {
      const answer = Promise.reject(new Error('failed'))
      return { answer, end: answer }
    }
    const failed = await Promise.allSettled([ask('key', failing), ask('key', failing)])
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    expect(await ask('key', work)).toBe('work 1')
  })
})
