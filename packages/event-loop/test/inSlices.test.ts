import { busyFor, countRounds } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { inSlices } from '../src/inSlices.js'

describe('inSlices', () => {
  it('maps in order', async () => {
    expect(await inSlices([1, 2, 3], (n) => n * 2)).toEqual([2, 4, 6])
    expect(await inSlices([], String)).toEqual([])
  })

  it('lets other work in before it begins', async () => {
    const happened: Array<string> = []
    setImmediate(() => happened.push('other'))
    await inSlices(['first'], (each) => happened.push(each))
    expect(happened).toEqual(['other', 'first'])
  })

  it('lets other work in between', async () => {
    const happened: Array<string> = []
    await inSlices(['first', 'second'], (each) => {
      if (each === 'first') setImmediate(() => happened.push('other'))
      happened.push(each)
      busyFor(20)
    })
    expect(happened).toEqual(['first', 'other', 'second'])
  })

  it('takes turns: one slice in a round of the event loop, however many map at once', async () => {
    const rounds = countRounds()
    const happened: Array<readonly [string, number]> = []
    const slowly = (name: string) =>
      inSlices([1, 2], (each) => {
        happened.push([`${name}${each}`, rounds.count()])
        busyFor(20)
      })
    await Promise.all([slowly('a'), slowly('b')])
    rounds.stop()
    expect(happened.map(([what]) => what)).toEqual(['a1', 'b1', 'a2', 'b2'])
    expect(new Set(happened.map(([, at]) => at)).size).toBe(4)
  })

  it('fails when one fails', async () => {
    await expect(
      inSlices([1], () => {
        throw new Error('EIO')
      }),
    ).rejects.toThrow('EIO')
  })
})
