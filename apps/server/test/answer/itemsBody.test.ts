import type { Alike, Batch, Items } from '@canopy/domain'
import { describe, expect, it } from 'vitest'
import { itemsBody } from '../../src/answer/itemsBody.js'

describe('the bodies of listings', () => {
  /** Items in so many batches without any, which tell when each is made. */
  const itemsOf = (most: number, batches: number, made: (left: number) => void): Items.Items => {
    const batch = (left: number): Batch.Batch<Alike.Alike, Items.End> => {
      made(left)
      return left === 0
        ? { is: 'last', items: [], end: { more: false } }
        : { is: 'some', items: [], rest: () => batch(left - 1) }
    }
    return { most, unfold: () => batch(batches) }
  }

  const orderOf = async (most: number): Promise<ReadonlyArray<string>> => {
    const made: Array<string> = []
    const names = ['a', 'b']
    await Promise.all(names.map((name) => itemsBody(itemsOf(most, 2, (left) => made.push(`${name}${left}`)))))
    return made
  }

  it('are made at the same time where they are small', async () => {
    expect(await orderOf(4096)).toEqual(['a2', 'b2', 'a1', 'b1', 'a0', 'b0'])
  })

  it('are made one after the other where they are large: half made, each takes its memory', async () => {
    expect(await orderOf(4097)).toEqual(['a2', 'a1', 'a0', 'b2', 'b1', 'b0'])
  })
})
