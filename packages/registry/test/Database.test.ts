import { describe, expect, it } from 'vitest'
import { cachedQuery } from '../src/Database.js'

type Rows = ReadonlyArray<object>

const world = (rows: Readonly<Record<string, Rows>>) => {
  const state = { version: 1, rows, asked: 0 }
  const find = cachedQuery(
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
  it.each([
    ['where there are some', 'a'],
    ['where there are none, so that asking again takes no longer and no shorter', 'guess'],
  ])('is made once, and is the same value until they change: %s', async (_, key) => {
    const { state, find } = world({ a: [{ n: 1 }] })
    const one = await find(key)
    expect([await find(key), state.asked]).toEqual([one, 1])
    Object.assign(state, { version: 2, rows: { a: [{ n: 1 }] } })
    expect(await find(key)).toBe(one)
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
      small: [{ value: 'small' }],
      ...Object.fromEntries(keys.map((key) => [key, large])),
    })
    for (const key of [...keys, 'small', 'large 199', 'large 130']) await find(key)
    expect(state.asked).toBe(201)
    await find('large 0')
    expect(state.asked).toBe(202)
  })

  it('is not remembered after a change where they were read before it, however slow they were', async () => {
    const state = { version: 1, asked: 0 }
    const { promise, resolve } = withResolvers<Rows>()
    const find = cachedQuery(
      async () => state.version,
      async (key) => (key === 'slow' && state.asked++ === 0 ? promise : [{ n: 'new' }]),
      (rows) => rows,
    )
    const slow = find('slow')
    await new Promise(setImmediate)
    state.version = 2
    await find('other')
    resolve([{ n: 'old' }])
    await slow
    expect(await find('slow')).toEqual([{ n: 'new' }])
  })

  it('is forgotten where the version cannot be read', async () => {
    const { state, find } = world({ a: [{ n: 1 }] })
    state.version = Number.NaN
    for (const _ of [1, 2]) await find('a')
    expect(state.asked).toBe(2)
  })
})

/** Node 20 has no `Promise.withResolvers`. */
const withResolvers = <A>() => {
  const settled: Array<(value: A) => void> = []
  const promise = new Promise<A>((resolve) => settled.push(resolve))
  return { promise, resolve: (value: A) => settled[0]?.(value) }
}
