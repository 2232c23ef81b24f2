/** Two samples compared by Welch's t-test, which does not ask for equal variances. */
export interface Welch {
  readonly counts: readonly [number, number]
  readonly means: readonly [number, number]
  /** How many standard errors the second mean lies above the first. */
  readonly t: number
  /** Degrees of freedom, by Welch and Satterthwaite. */
  readonly freedom: number
}

const mean = (sample: ReadonlyArray<number>): number => sample.reduce((sum, x) => sum + x, 0) / sample.length

/** Of the mean: the unbiased variance over the count. */
const squaredError = (sample: ReadonlyArray<number>, centre: number): number =>
  sample.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (sample.length - 1) / sample.length

/** Each sample needs two values at least, and one of them a spread. */
export const welch = (one: ReadonlyArray<number>, other: ReadonlyArray<number>): Welch => {
  const means = [mean(one), mean(other)] as const
  const [a, b] = [squaredError(one, means[0]), squaredError(other, means[1])]
  return {
    counts: [one.length, other.length],
    means,
    t: (means[1] - means[0]) / Math.sqrt(a + b),
    freedom: (a + b) ** 2 / (a ** 2 / (one.length - 1) + b ** 2 / (other.length - 1)),
  }
}

/**
 * Both samples without what exceeds the given quantile (0 to 1) of the two together: one bound for both, so that what
 * is left out does not depend on the class.
 */
export const trimmed = (
  one: ReadonlyArray<number>,
  other: ReadonlyArray<number>,
  quantile: number,
): readonly [ReadonlyArray<number>, ReadonlyArray<number>] => {
  const sorted = Float64Array.from([...one, ...other]).sort()
  const bound = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.POSITIVE_INFINITY
  return [one.filter((x) => x <= bound), other.filter((x) => x <= bound)]
}
