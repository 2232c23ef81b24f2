import { describe, expect, it } from 'vitest'
import { trimmed, welch } from '../src/welch.js'

describe("Welch's t-test", () => {
  it('has the values that are worked out by hand', () => {
    // Variances 2.5 and 10, squared errors of the means 0.5 and 2: t is 3 / sqrt(2.5), freedom 6.25 / (0.0625 + 1).
    const { counts, means, t, freedom } = welch([1, 2, 3, 4, 5], [2, 4, 6, 8, 10])
    expect([counts, means]).toEqual([
      [5, 5],
      [3, 6],
    ])
    expect(t).toBeCloseTo(1.8973665961, 9)
    expect(freedom).toBeCloseTo(5.8823529412, 9)
  })

  it('weighs samples of different sizes by their own errors', () => {
    // Variances 2 and 1, squared errors 1 and 0.25: t is -4 / sqrt(1.25).
    const { t, freedom } = welch(
      [10, 12],
      [6, 6, 8, 8].map((x) => x * Math.sqrt(0.75) + 7 * (1 - Math.sqrt(0.75))),
    )
    expect(t).toBeCloseTo(-4 / Math.sqrt(1.25), 9)
    expect(freedom).toBeCloseTo(1.25 ** 2 / (1 + 0.0625 / 3), 9)
  })

  it('is turned round with the samples, and zero for equal means', () => {
    const [one, other] = [
      [3, 1, 4, 1, 5],
      [9, 2, 6],
    ]
    expect(welch(one, other).t).toBeCloseTo(-welch(other, one).t, 12)
    expect(welch([1, 3], [0, 2, 4]).t).toBe(0)
  })
})

describe('trimming', () => {
  it('leaves out what exceeds one bound for both samples', () => {
    expect(trimmed([1, 2, 3, 100], [4, 5, 200, 6, 7, 8], 0.7)).toEqual([
      [1, 2, 3],
      [4, 5, 6, 7, 8],
    ])
  })

  it('keeps everything at quantile 1', () => {
    expect(trimmed([3, 1], [2], 1)).toEqual([[3, 1], [2]])
  })
})
