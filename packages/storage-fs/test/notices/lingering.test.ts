import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { lingering } from '../../src/notices/lingering.js'

describe('what is given up', () => {
  const ended: Array<string> = []
  const end = (what: string) => () => void ended.push(what)

  it('ends some time later, once', async () => {
    ended.splice(0)
    const { endLater } = lingering(10)
    endLater('a', end('a'))
    expect(ended).toEqual([])
    await sleep(100)
    expect(ended).toEqual(['a'])
  })

  it('ends at once when it is asked to, or the same is given up again; in the next round when there is too much', async () => {
    ended.splice(0)
    const { endLater, endNow } = lingering(60_000, 2)
    endNow('nothing')
    endLater('a', end('first a'))
    endLater('a', end('second a'))
    expect(ended).toEqual(['first a'])
    endNow('a')
    expect(ended).toEqual(['first a', 'second a'])
    for (const key of ['a', 'b', 'c']) endLater(key, end(key))
    expect(ended).toEqual(['first a', 'second a'])
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended).toEqual(['first a', 'second a', 'a'])
  })

  it('ends some in each round, however much it is', async () => {
    ended.splice(0)
    const { endLater } = lingering(60_000, 1)
    for (let at = 0; at <= 1_000; at += 1) endLater(`${at}`, end(`${at}`))
    await new Promise((resolve) => setImmediate(resolve))
    expect(ended.length).toBeGreaterThan(0)
    expect(ended.length).toBeLessThan(500)
    await sleep(100)
    expect(ended.length).toBe(1_000)
  })
})
