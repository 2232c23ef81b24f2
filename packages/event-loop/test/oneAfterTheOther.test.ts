import { describe, expect, it } from 'vitest'
import { oneAfterTheOther } from '../src/oneAfterTheOther.js'

describe('work that is done one after the other', () => {
  it('begins when what was asked for before it has ended, in that order', async () => {
    const inTurn = oneAfterTheOther()
    const happened: Array<string> = []
    const work = (name: string) => async () => {
      happened.push(`${name} begins`)
      for (let turn = 0; turn < 3; turn++) await Promise.resolve()
      happened.push(`${name} ends`)
      return name
    }
    expect(await Promise.all(['a', 'b', 'c'].map((name) => inTurn(work(name))))).toEqual(['a', 'b', 'c'])
    expect(happened).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  })

  it('goes on where some of it fails, of which only they hear who asked for it', async () => {
    const inTurn = oneAfterTheOther()
    const failing = inTurn(() => Promise.reject(new Error('no')))
    const next = inTurn(async () => 'done')
    await expect(failing).rejects.toThrow('no')
    expect(await next).toBe('done')
  })
})
