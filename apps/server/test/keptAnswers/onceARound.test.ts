import { describe, expect, it } from 'vitest'
import { onceARound } from '../../src/keptAnswers/onceARound.js'

const round = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('a question asked once a round', () => {
  const counting = () => {
    const state = { asked: 0 }
    const ask = onceARound(async () => {
      state.asked += 1
      return state.asked
    })
    return { state, ask }
  }

  it('is asked once for all who ask in the same round, after the last of them', async () => {
    const { state, ask } = counting()
    const answers = [ask(), ask()]
    await Promise.resolve()
    answers.push(ask())
    expect(state.asked).toBe(0)
    expect(await Promise.all(answers)).toEqual([1, 1, 1])
  })

  it('is asked anew for whoever asks later', async () => {
    const { ask } = counting()
    const first = ask()
    await round()
    expect(await Promise.all([first, ask()])).toEqual([1, 2])
    expect(await ask()).toBe(3)
  })

  it('fails for all who asked, and not for those who ask later', async () => {
    let fails = true
    const ask = onceARound(async () => {
      if (fails) throw new Error('not now')
      return 'now'
    })
    const both = await Promise.allSettled([ask(), ask()])
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    fails = false
    expect(await ask()).toBe('now')
  })
})
