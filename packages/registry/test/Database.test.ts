import { describe, expect, it } from 'vitest'
import { cachedQuery } from '../src/Database.js'

type Rows = ReadonlyArray<object>

const world = (rows: Readonly<Record<string, Rows>>) => {
  const state = { version: 1, rows, queries: 0 }
  const find = cachedQuery(
    async () => state.version,
    async (key) => {
      state.queries += 1
      return state.rows[key] ?? []
    },
    (found) => ({ found }),
  )
  return { state, find }
}

describe('a cached value', () => {
  it.each(['a', 'missing'])('is reused for key "%s" until its rows change', async (key) => {
    const { state, find } = world({ a: [{ n: 1 }] })
    const value = await find(key)
    expect([await find(key), state.queries]).toEqual([value, 1])
    Object.assign(state, { version: 2, rows: { a: [{ n: 1 }] } })
    expect(await find(key)).toBe(value)
    expect(state.queries).toBe(2)
  })

  it('is not evicted by guesses', async () => {
    const { state, find } = world({ a: [{ n: 1 }] })
    await find('a')
    for (let guess = 0; guess < 50_000; guess += 1) await find(`guess ${guess}`)
    const before = state.queries
    await find('a')
    expect(state.queries).toBe(before)
  })

  it('is evicted earlier if it is large', async () => {
    const keys = Array.from({ length: 200 }, (_, n) => `large ${n}`)
    const large = [{ value: 'x'.repeat(1_000_000), expires: null }]
    const { state, find } = world({ small: [{ value: '' }], ...Object.fromEntries(keys.map((key) => [key, large])) })
    for (const key of [...keys, 'small', 'large 199', 'large 130']) await find(key)
    expect(state.queries).toBe(201)
    await find('large 0')
    expect(state.queries).toBe(202)
  })

  it('is read again if the version changed during a slow query', async () => {
    const state = { version: 1, queries: 0 }
    const settle: Array<(rows: Rows) => void> = []
    const slowRows = new Promise<Rows>((resolve) => settle.push(resolve))
    const find = cachedQuery(
      async () => state.version,
      async (key) => (key === 'slow' && state.queries++ === 0 ? slowRows : [{ n: 'new' }]),
      (rows) => rows,
    )
    const slow = find('slow')
    await new Promise(setImmediate)
    state.version = 2
    await find('other')
    settle[0]?.([{ n: 'old' }])
    await slow
    expect(await find('slow')).toEqual([{ n: 'new' }])
  })
})
