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

  it('also of a value that can hold nothing more', () => {
    const derived = onceFor((from: object) => ({ from }))
    const [x, y] = [Object.freeze({ is: 'x' }), Object.freeze({ is: 'x' })]
    expect(derived(x)).toBe(derived(x))
    expect(derived(x)).not.toBe(derived(y))
  })

  it('and not for what is made of the value', () => {
    const derived = onceFor((from: object) => ({ from }))
    const x = { is: 'x' }
    const ofX = derived(x)
    const [copy, heir, frozenHeir] = [{ ...x }, Object.create(x) as object, Object.freeze(Object.create(x)) as object]
    expect(derived(copy)).toStrictEqual({ from: { is: 'x' } })
    expect(derived(copy)).not.toBe(ofX)
    expect(derived(heir)).not.toBe(ofX)
    expect(derived(heir)).toBe(derived(heir))
    expect(derived(frozenHeir)).not.toBe(ofX)
    expect(derived(frozenHeir)).toBe(derived(frozenHeir))
  })

  it('on the value itself, apart from what others derive from it, and without a trace that anyone sees', () => {
    const x = { is: 'x' }
    const [one, other] = [onceFor((from: { is: string }) => `one of ${from.is}`), onceFor(() => 'other')]
    expect([one(x), other(x), one(x)]).toStrictEqual(['one of x', 'other', 'one of x'])
    expect(Object.getOwnPropertySymbols(x)).toHaveLength(2)
    expect(x).toStrictEqual({ is: 'x' })
    expect(JSON.stringify(x)).toBe('{"is":"x"}')
    expect(Reflect.ownKeys({ ...x })).toStrictEqual(['is'])
  })
})
