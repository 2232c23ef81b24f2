import { describe, expect, it } from 'vitest'
import { inSlices } from '../src/inSlices.js'

const busyFor = (milliseconds: number): void => {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

describe('inSlices', () => {
  it('maps in order', async () => {
    expect(await inSlices([1, 2, 3], (n) => n * 2)).toEqual([2, 4, 6])
    expect(await inSlices([], String)).toEqual([])
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
    const happened: Array<string> = []
    const slowly = (name: string) =>
      inSlices([1, 2], (each) => {
        setImmediate(() => happened.push('round'))
        happened.push(`${name}${each}`)
        busyFor(20)
      })
    await Promise.all([slowly('a'), slowly('b')])
    expect(happened.slice(0, 7)).toEqual(['a1', 'round', 'b1', 'round', 'a2', 'round', 'b2'])
  })

  it('fails when one fails', async () => {
    await expect(
      inSlices([1], () => {
        throw new Error('EIO')
      }),
    ).rejects.toThrow('EIO')
  })
})
