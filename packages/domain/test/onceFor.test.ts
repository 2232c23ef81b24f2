import { describe, expect, it } from 'vitest'
import { onceFor } from '../src/onceFor.js'

describe('what is derived from a value is derived once for it', () => {
  it('and is the same value whenever it is asked for', () => {
    const asked: Array<object> = []
    const derived = onceFor((from: object) => {
      asked.push(from)
      return { from }
    })
    const [x, y] = [{}, {}]
    expect(derived(x)).toBe(derived(x))
    expect(derived(y)).not.toBe(derived(x))
    expect(derived(y)).toStrictEqual({ from: y })
    expect(asked).toStrictEqual([x, y])
  })

  it('also when nothing comes of it', () => {
    const asked: Array<object> = []
    const derived = onceFor((from: object) => void asked.push(from))
    const x = {}
    expect([derived(x), derived(x)]).toStrictEqual([undefined, undefined])
    expect(asked).toStrictEqual([x])
  })
})
