import { type Area, Failure, StoragePath, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { shareStorage } from '../../src/ports.js'
import { later } from '../later.js'

const area: Area.Area = { owner: 1n as UserId.UserId, location: '1' as Area.AreaLocation }

describe('listings that are shared', () => {
  /** Each reading ends when a test says so. */
  const shared = () => {
    const readings: Array<() => void> = []
    const storage = {
      nodeAt: () => async () => E.left(Failure.fileNotFound),
      list: (_area: Area.Area, _path: StoragePath.StoragePath) => async () => {
        const { value, give } = later()
        readings.push(give)
        const number = readings.length
        await value
        return E.right({ entries: [], unlistable: number })
      },
    }
    const { list } = shareStorage(storage, { ms: 0, bytes: 0 })
    const ask = async (of = area, path = StoragePath.root) => {
      const listed = await list(of, path)()
      return E.isRight(listed) ? listed.right.unlistable : 0
    }
    return { readings, ask }
  }

  it('are read once for all that wait, and again for those that came after the reading began', async () => {
    const { readings, ask } = shared()
    const first = [ask(), ask()]
    await expect.poll(() => readings.length).toBe(1)
    const next = [ask(), ask(), ask()]
    await Promise.resolve()
    expect(readings.length).toBe(1)
    readings[0]?.()
    expect(await Promise.all(first)).toEqual([1, 1])
    await expect.poll(() => readings.length).toBe(2)
    readings[1]?.()
    expect(await Promise.all(next)).toEqual([2, 2, 2])
    expect(readings.length).toBe(2)
  })

  it('are those of one directory of one area', async () => {
    const { readings, ask } = shared()
    const other = { ...area, location: '2' as Area.AreaLocation }
    const asked = [ask(), ask(other), ask(area, '/a' as StoragePath.StoragePath)]
    await expect.poll(() => readings.length).toBe(3)
    for (const end of readings) end()
    expect(new Set(await Promise.all(asked))).toEqual(new Set([1, 2, 3]))
  })
})
