import { quantile, spread } from '../figures.mjs'

const shown = (number) => (number < 10 ? number.toFixed(2) : number.toFixed(0))

/** The median of the rounds, and the least and the most of them; held against a bound where there is one. */
const row = (name, figures, bound, holds = () => true) => {
  const { median, min, max } = spread(figures)
  const isHeld = holds(median, max)
  const all = `${shown(median)} (${shown(min)} to ${shown(max)})`
  console.log(name.padEnd(44), all.padEnd(28), ...(bound === undefined ? [] : [bound, isHeld ? 'held' : 'NOT HELD']))
  if (!isHeld) process.exitCode = 1
}

/** Where nothing was refused nothing was late. */
const refusedInTime = (ms) => Number.isNaN(ms) || ms <= 20

const quantiles = [
  ['p50', 0.5],
  ['p95', 0.95],
  ['p99', 0.99],
]

const reportOverload = (name, share, phases) => {
  const each = (figure) => phases.map(figure)
  row(
    `${name}: goodput / peak`,
    each(({ goodput }) => goodput),
    `at least ${share}`,
    (median) => median >= share,
  )
  row(
    '  refused',
    each(({ refusals }) => refusals.length),
  )
  row(
    '  without an answer',
    each(({ unanswered }) => unanswered),
    'none',
    (_, max) => max === 0,
  )
  for (const [label, q] of quantiles) {
    const refusals = each(({ refusals }) => quantile(refusals, q))
    row(`  refusal ${label}, ms`, refusals, ...(q === 0.95 ? ['at most 20', refusedInTime] : []))
    row(
      `    an idle server meanwhile, ms`,
      each(({ idle }) => quantile(idle, q)),
    )
  }
  row(
    '  normal again after, ms',
    each(({ recovered }) => recovered),
    'at most 2000',
    (median) => median <= 2000,
  )
}

const reportSlow = (measured, slow) => {
  const each = (figure) => measured.map(figure)
  row(
    'a quarter of the peak: p99, ms',
    each(({ alone }) => alone.p99),
  )
  row(
    `  beside ${slow} slow connections`,
    each(({ besideSlow }) => besideSlow.p99),
  )
  row(
    '  ratio',
    each(({ alone, besideSlow }) => besideSlow.p99 / alone.p99),
    'at most 2',
    (median) => median <= 2,
  )
  row(
    '    of an idle server',
    each(({ alone, besideSlow }) => besideSlow.idleP99 / alone.idleP99),
  )
}

/** A table of what was measured in each round. Sets the exit code when a bound does not hold. */
export const report = (measured, slow) => {
  row(
    'peak, 16 connections, per second',
    measured.map(({ peak }) => peak.perSecond),
  )
  reportOverload(
    '2x the peak, open loop',
    0.85,
    measured.map(({ twofold }) => twofold),
  )
  reportOverload(
    '10x the peak, open loop',
    0.85,
    measured.map(({ tenfold }) => tenfold),
  )
  reportSlow(measured, slow)
}
