const mean = (sample: ReadonlyArray<number>): number => sample.reduce((sum, x) => sum + x, 0) / sample.length

const squaredError = (sample: ReadonlyArray<number>, centre: number): number =>
  sample.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (sample.length - 1) / sample.length

/** Compares two samples by Welch's t-test. `t`: difference of the means in standard errors. */
export const welch = (one: ReadonlyArray<number>, other: ReadonlyArray<number>) => {
  const means = [mean(one), mean(other)] as const
  const t = (means[1] - means[0]) / Math.sqrt(squaredError(one, means[0]) + squaredError(other, means[1]))
  return { counts: [one.length, other.length] as const, means, t }
}

/** Removes values above a quantile (0 to 1) of both samples together: the bound must not depend on the class. */
export const trimmed = (
  one: ReadonlyArray<number>,
  other: ReadonlyArray<number>,
  quantile: number,
): readonly [ReadonlyArray<number>, ReadonlyArray<number>] => {
  const sorted = Float64Array.from([...one, ...other]).sort()
  const bound = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * quantile))] ?? Number.POSITIVE_INFINITY
  return [one.filter((x) => x <= bound), other.filter((x) => x <= bound)]
}
