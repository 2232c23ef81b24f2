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
    setImmediate(() => happened.push('other'))
    await inSlices(['first', 'second'], (each) => {
      happened.push(each)
      busyFor(20)
    })
    expect(happened).toEqual(['first', 'other', 'second'])
  })

  it('fails when one fails', async () => {
    await expect(
      inSlices([1], () => {
        throw new Error('EIO')
      }),
    ).rejects.toThrow('EIO')
  })
})
