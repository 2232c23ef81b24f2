/** @typedef {{ median: number, min: number, max: number }} Spread */

const sorted = (numbers) => [...numbers].sort((x, y) => x - y)

export const quantile = (numbers, q) => sorted(numbers)[Math.floor(q * (numbers.length - 1))] ?? Number.NaN

export const median = (numbers) => {
  const all = sorted(numbers)
  const middle = all.length / 2
  return Number.isInteger(middle) ? (all[middle - 1] + all[middle]) / 2 : all[Math.floor(middle)]
}

/** @returns {Spread} */
export const spread = (numbers) => ({ median: median(numbers), min: Math.min(...numbers), max: Math.max(...numbers) })

/** `{ atLeast }` or `{ atMost }`. */
export const holds = ({ atLeast = Number.NEGATIVE_INFINITY, atMost = Number.POSITIVE_INFINITY }, figure) =>
  figure >= atLeast && figure <= atMost

const verdict = (target, figure) =>
  target === undefined ? undefined : { ...target, verdict: holds(target, figure) ? 'pass' : 'missed' }

/**
 * A row of a table: our figures by round against a reference's of the same rounds. The ratio is taken within each
 * round, since what else the machine does changes from round to round; then the median is judged.
 */
export const compared = ({ what, unit, ours, reference, target }) => {
  const row = { what, unit, canopy: spread(ours) }
  if (reference.missing !== undefined)
    return { ...row, reference, ...(target === undefined ? {} : { target: { ...target, verdict: 'not measured' } }) }
  const ratio = spread(ours.map((figure, round) => figure / reference.values[round]))
  return {
    ...row,
    reference: { name: reference.name, ...spread(reference.values) },
    ratio,
    target: verdict(target, ratio.median),
  }
}

/** A row whose own figure is judged. */
export const judged = ({ what, unit, ours, reference, target }) => ({
  what,
  unit,
  canopy: spread(ours),
  ...(reference === undefined ? {} : { reference: { name: reference.name, ...spread(reference.values) } }),
  target: verdict(target, median(ours)),
})
