import { expect, it } from 'vitest'
import { trimmed, welch } from '../src/welch.js'

const stretched = [6, 6, 8, 8].map((x) => x * Math.sqrt(0.75) + 7 * (1 - Math.sqrt(0.75)))

it.each([
  // Variances 2.5 and 10, squared errors of the means 0.5 and 2: t is 3 / sqrt(2.5).
  { one: [1, 2, 3, 4, 5], other: [2, 4, 6, 8, 10], t: 3 / Math.sqrt(2.5) },
  // Variances 2 and 1, squared errors 1 and 0.25: t is -4 / sqrt(1.25).
  { one: [10, 12], other: stretched, t: -4 / Math.sqrt(1.25) },
])("Welch's t-test has the values that are worked out by hand: $t", ({ one, other, t }) => {
  const found = welch(one, other)
  expect(found.counts).toEqual([one.length, other.length])
  expect(found.means[0]).toBe(one.reduce((sum, x) => sum + x, 0) / one.length)
  expect(found.t).toBeCloseTo(t, 9)
})

it('trimming leaves out what exceeds one bound for both samples', () => {
  expect(trimmed([1, 2, 3, 100], [4, 5, 200, 6, 7, 8], 0.7)).toEqual([
    [1, 2, 3],
    [4, 5, 6, 7, 8],
  ])
  expect(trimmed([3, 1], [2], 1)).toEqual([[3, 1], [2]])
})
