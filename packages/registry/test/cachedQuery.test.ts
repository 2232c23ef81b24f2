import { describe, expect, it } from 'vitest'
import { cachedQuery } from '../src/Registry.js'

type Rows = ReadonlyArray<object>

const world = (rowsOf: (key: string) => Rows) => {
  const count = { queries: 0 }
  const query = async (key: string) => {
    count.queries += 1
    return rowsOf(key)
  }
  return {
    count,
    find: cachedQuery(
      async () => 1,
      query,
      (rows) => rows,
    ),
  }
}

describe('a cached value', () => {
  it('is not evicted by guesses', async () => {
    const { count, find } = world((key) => (key === 'a' ? [{ n: 1 }] : []))
    await find('a')
    for (let guess = 1; guess <= 50_000; guess += 1) await find(`guess ${guess}`)
    await find('a')
    expect(count.queries).toBe(50_001)
  })

  it('is evicted earlier if it is large', async () => {
    const keys = Array.from({ length: 200 }, (_, n) => `large ${n}`)
    const large = 'x'.repeat(1_000_000)
    const { count, find } = world((key) => [{ value: key === 'small' ? '' : large, expires: null }])
    for (const key of [...keys, 'small', 'large 199', 'large 130']) await find(key)
    expect(count.queries).toBe(201)
    await find('large 0')
    expect(count.queries).toBe(202)
  })

  it('is read again if the version changed during a slow query', async () => {
    let version = 1
    let answer: ((rows: Rows) => void) | undefined
    const slowRows = new Promise<Rows>((resolve) => {
      answer = resolve
    })
    const answers: Array<Rows | Promise<Rows>> = [slowRows, [], [{ n: 'new' }]]
    const find = cachedQuery(
      async () => version,
      async () => answers.shift() ?? [],
      (rows) => rows,
    )
    const slow = find('slow')
    await new Promise(setImmediate)
    version = 2
    await find('other')
    answer?.([{ n: 'old' }])
    await slow
    expect(await find('slow')).toEqual([{ n: 'new' }])
  })
})
