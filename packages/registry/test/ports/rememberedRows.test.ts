import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import { rememberedRows } from '../../src/ports/rememberedRows.js'

const world = (rows: Readonly<Record<string, ReadonlyArray<unknown>>>) => {
  const state = { version: 1, rows, asked: 0 }
  const find = rememberedRows(
    () => state.version,
    (key) => async () => {
      state.asked += 1
      return E.right(state.rows[key] ?? [])
    },
  )
  return { state, find }
}

describe('remembered rows', () => {
  it('are asked for once, and are the same value, while nothing changes', async () => {
    const { state, find } = world({ a: [{ n: 1 }] })
    const [one, other] = [await find('a')(), await find('a')()]
    expect(state.asked).toBe(1)
    expect(E.isRight(one) && E.isRight(other) && one.right === other.right).toBe(true)
  })

  it('are asked for again after any change', async () => {
    const { state, find } = world({ a: [1] })
    await find('a')()
    Object.assign(state, { version: 2, rows: { a: [2] } })
    expect(await find('a')()).toEqual(E.right([2]))
  })

  it('are the same value after a change that did not touch them', async () => {
    const { state, find } = world({ a: [{ n: 1 }] })
    const one = await find('a')()
    Object.assign(state, { version: 2, rows: { a: [{ n: 1 }] } })
    const other = await find('a')()
    expect([state.asked, E.isRight(one) && E.isRight(other) && one.right === other.right]).toEqual([2, true])
  })

  it('are gone once they are deleted, and there once they are made', async () => {
    const { state, find } = world({ a: [1] })
    expect([await find('a')(), await find('b')()]).toEqual([E.right([1]), E.right([])])
    Object.assign(state, { version: 2, rows: { b: [2] } })
    for (const _ of [1, 2]) expect([await find('a')(), await find('b')()]).toEqual([E.right([]), E.right([2])])
    expect(state.asked).toBe(4)
  })

  it('are remembered where there are none, so that asking again takes no longer and no shorter', async () => {
    const { state, find } = world({})
    await find('guess')()
    expect(await find('guess')()).toEqual(E.right([]))
    expect(state.asked).toBe(1)
  })

  it('are the same value where there are none, after a change that made none', async () => {
    const { state, find } = world({})
    const one = await find('guess')()
    state.version = 2
    const other = await find('guess')()
    expect([state.asked, E.isRight(one) && E.isRight(other) && one.right === other.right]).toEqual([2, true])
  })

  it('are not driven out by guesses', async () => {
    const { state, find } = world({ a: [1] })
    await find('a')()
    for (let guess = 0; guess < 50_000; guess += 1) await find(`guess ${guess}`)()
    const before = state.asked
    await find('a')()
    expect(state.asked).toBe(before)
  })

  it('are fewer where they are large, so that they do not fill the memory', async () => {
    const megabyte = 'x'.repeat(1_000_000)
    const state = { asked: 0 }
    const find = rememberedRows(
      () => 1,
      (key) => async () => {
        state.asked += 1
        return E.right([{ value: key.startsWith('large') ? megabyte : 'small', expires: null }])
      },
    )
    for (let i = 0; i < 200; i += 1) await find(`large ${i}`)()
    await find('small')()
    for (const key of ['small', 'large 199', 'large 130']) await find(key)()
    expect(state.asked).toBe(201)
    await find('large 0')()
    expect(state.asked).toBe(202)
  })

  it('that were read before a change are not remembered after it, however slow they were', async () => {
    const state = { version: 1, asked: 0 }
    const waiting: Array<(rows: ReadonlyArray<unknown>) => void> = []
    const find = rememberedRows(
      () => state.version,
      (key) => () =>
        key === 'slow' && state.asked++ === 0
          ? new Promise((resolve) => {
              waiting.push((rows) => resolve(E.right(rows)))
            })
          : Promise.resolve(E.right(['new'])),
    )
    const slow = find('slow')()
    await new Promise(setImmediate)
    state.version = 2
    await find('other')()
    waiting[0]?.(['old'])
    await slow
    expect(await find('slow')()).toEqual(E.right(['new']))
  })

  it('are external when the version cannot be read', async () => {
    const find = rememberedRows(
      () => {
        throw new Error('the disk is gone')
      },
      () => TE.right([1]),
    )
    expect(await find('a')()).toMatchObject({ left: { error: 'external' } })
  })

  it('are forgotten where every version is another', async () => {
    const state = { asked: 0 }
    const find = rememberedRows(
      () => Number.NaN,
      () => async () => {
        state.asked += 1
        return E.right([1])
      },
    )
    await find('a')()
    await find('a')()
    expect(state.asked).toBe(2)
  })
})
