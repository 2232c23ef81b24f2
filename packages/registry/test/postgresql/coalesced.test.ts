import { describe, expect, it } from 'vitest'
import { coalesced } from '../../src/postgresql/coalesced.js'

describe('a coalesced question', () => {
  it('is asked once for all who came before it, and never answered by one that was asked before them', async () => {
    const answers: Array<(answer: number) => void> = []
    const ask = coalesced(() => new Promise<number>((resolve) => answers.push(resolve)))
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

  it('that fails is asked again for the next', async () => {
    let asked = 0
    const ask = coalesced(async () => {
      asked += 1
      if (asked === 1) throw new Error('no connection')
      return asked
    })
    await expect(ask()).rejects.toThrow('no connection')
    expect(await ask()).toBe(2)
  })
})
