/** Prometheus' text format as a map from `name{labels}` to the value, comments left out. */
export const samples = (text: string): ReadonlyMap<string, number> =>
  new Map(
    text
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )

/** Those of the service itself, without buckets and sums of durations, which are of no fixed value. */
export const counted = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    [...samples(text)].filter(([name, value]) => name.startsWith('canopy_') && !/_bucket|_sum/.test(name) && value > 0),
  )

/** Every value of every label but the bounds of buckets. */
export const labelValues = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/(?<![a-z])(?!le=)[a-z_]+="((?:[^"\\]|\\.)*)"/g)].map(([, value = '']) => value))
