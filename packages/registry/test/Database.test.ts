import { describe, expect, it } from 'vitest'
import { cached, singleFlight } from '../src/Database.js'

type Rows = ReadonlyArray<object>

const world = (rows: Readonly<Record<string, Rows>>) => {
  const state = { version: 1, rows, asked: 0 }
  const find = cached(
    async () => state.version,
    async (key) => {
      state.asked += 1
      return state.rows[key] ?? []
    },
    (found) => ({ found }),
  )
  return { state, find }
}

describe('what was made of the rows of a key', () => {
  it('is made once, and is the same value, while nothing changes', async () => {
    const { state, find } = world({ a: [{ n: 1 }] })
    const [one, other] = [await find('a'), await find('a')]
    expect(state.asked).toBe(1)
    expect(other).toBe(one)
  })

  it('is the same value after a change that did not touch them', async () => {
    const { state, find } = world({ a: [{ n: 1 }] })
    const one = await find('a')
    Object.assign(state, { version: 2, rows: { a: [{ n: 1 }] } })
    expect(await find('a')).toBe(one)
    expect(state.asked).toBe(2)
  })

  it('is gone once they are deleted, and there once they are made', async () => {
    const { state, find } = world({ a: [{ n: 1 }] })
    expect([await find('a'), await find('b')]).toEqual([{ found: [{ n: 1 }] }, { found: [] }])
    Object.assign(state, { version: 2, rows: { b: [{ n: 2 }] } })
    for (const _ of [1, 2]) expect([await find('a'), await find('b')]).toEqual([{ found: [] }, { found: [{ n: 2 }] }])
    expect(state.asked).toBe(4)
  })

  it('is remembered where there are none, so that asking again takes no longer and no shorter', async () => {
    const { state, find } = world({})
    await find('guess')
    expect(await find('guess')).toEqual({ found: [] })
    expect(state.asked).toBe(1)
  })

  it('is the same value where there are none, after a change that made none', async () => {
    const { state, find } = world({})
    const one = await find('guess')
    state.version = 2
    expect(await find('guess')).toBe(one)
    expect(state.asked).toBe(2)
  })

  it('is not driven out by guesses', async () => {
    const { state, find } = world({ a: [{ n: 1 }] })
    await find('a')
    for (let guess = 0; guess < 50_000; guess += 1) await find(`guess ${guess}`)
    const before = state.asked
    await find('a')
    expect(state.asked).toBe(before)
  })

  it('is driven out sooner where they are large, so that they do not fill the memory', async () => {
    const large = [{ value: 'x'.repeat(1_000_000), expires: null }]
    const keys = Array.from({ length: 200 }, (_, n) => `large ${n}`)
    const { state, find } = world({
      small: [{ value: 'small', expires: null }],
      ...Object.fromEntries(keys.map((key) => [key, large])),
    })
    for (const key of keys) await find(key)
    await find('small')
    for (const key of ['small', 'large 199', 'large 130']) await find(key)
    expect(state.asked).toBe(201)
    await find('large 0')
    expect(state.asked).toBe(202)
  })

  it('is not remembered after a change where they were read before it, however slow they were', async () => {
    const state = { version: 1, asked: 0 }
    const waiting: Array<(rows: Rows) => void> = []
    const find = cached(
      async () => state.version,
      async (key) =>
        key === 'slow' && state.asked++ === 0
          ? new Promise<Rows>((resolve) => {
              waiting.push(resolve)
            })
          : [{ n: 'new' }],
      (rows) => rows,
    )
    const slow = find('slow')
    await new Promise(setImmediate)
    state.version = 2
    await find('other')
    waiting[0]?.([{ n: 'old' }])
    await slow
    expect(await find('slow')).toEqual([{ n: 'new' }])
  })

  it('is forgotten where the version cannot be read', async () => {
    const { state, find } = world({ a: [{ n: 1 }] })
    state.version = Number.NaN
    await find('a')
    await find('a')
    expect(state.asked).toBe(2)
  })
})

describe('a single flight', () => {
  it('is one for all who came before it, and never for one who came after it began', async () => {
    const answers: Array<(answer: number) => void> = []
    const ask = singleFlight(() => new Promise<number>((resolve) => answers.push(resolve)))
    const first = ask()
    await new Promise(setImmediate)
    const [second, third] = [ask(), ask()]
    expect(answers).toHaveLength(1)
    answers[0]?.(1)
    expect(await first).toBe(1)
    await new Promise(setImmediate)
    expect(answers).toHaveLength(2)
    const fourth = ask()
    await new Promise(setImmediate)
    expect(answers).toHaveLength(2)
    answers[1]?.(2)
    expect(await Promise.all([second, third])).toEqual([2, 2])
    await new Promise(setImmediate)
    answers[2]?.(3)
    expect(await fourth).toBe(3)
  })

  it('that fails begins again for the next', async () => {
    let asked = 0
    const ask = singleFlight(async () => {
      asked += 1
      if (asked === 1) throw new Error('no connection')
      return asked
    })
    await expect(ask()).rejects.toThrow('no connection')
    expect(await ask()).toBe(2)
  })
})
