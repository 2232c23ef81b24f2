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

  it('ends at once when it is asked to, or the same is given up again, or there is too much', () => {
    ended.splice(0)
    const { endLater, endNow } = lingering(60_000, 2)
    endNow('nothing')
    endLater('a', end('first a'))
    endLater('a', end('second a'))
    expect(ended).toEqual(['first a'])
    endNow('a')
    expect(ended).toEqual(['first a', 'second a'])
    for (const key of ['a', 'b', 'c']) endLater(key, end(key))
    expect(ended).toEqual(['first a', 'second a', 'a'])
  })
})
