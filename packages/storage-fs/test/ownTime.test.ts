import { describe, expect, it } from 'vitest'
import { ownTime } from '../src/ownTime.js'

describe('the time that this thread spends on reading', () => {
  it('is used up by what was read lately, and left again after a while', () => {
    let clock = 1000
    const { isLeft, spend } = ownTime(() => clock)
    const reading = (milliseconds: number) => () => {
      clock += milliseconds
      return 'read'
    }
    expect(isLeft()).toBe(true)
    expect(spend(reading(0.5))).toBe('read')
    expect(isLeft()).toBe(true)
    spend(reading(0.5))
    expect(isLeft()).toBe(false)
    clock += 19
    expect(isLeft()).toBe(false)
    clock += 1
    expect(isLeft()).toBe(true)
  })

  it('is spent too where reading fails', () => {
    let clock = 0
    const { isLeft, spend } = ownTime(() => clock)
    const failing = () => {
      clock += 5
      throw new Error('EIO')
    }
    expect(() => spend(failing)).toThrow('EIO')
    expect(isLeft()).toBe(false)
  })
})
