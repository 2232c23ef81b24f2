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

const quantiles = { p50: 0.5, p95: 0.95, p99: 0.99 }

const reportOverload = (name, phases) => {
  const line = (text, figure, ...bound) => row(text, phases.map(figure), ...bound)
  line(
    `${name}: goodput / peak`,
    ({ goodput }) => goodput,
    'at least 0.85',
    (median) => median >= 0.85,
  )
  line('  refused', ({ refusals }) => refusals.length)
  line(
    '  without an answer',
    ({ unanswered }) => unanswered,
    'none',
    (_, max) => max === 0,
  )
  for (const [label, q] of Object.entries(quantiles)) {
    const bound = label === 'p95' ? ['at most 20', refusedInTime] : []
    line(`  refusal ${label}, ms`, ({ refusals }) => quantile(refusals, q), ...bound)
    line('    an idle server beside it, ms', ({ idle }) => quantile(idle, q))
  }
  line(
    '  normal again after, ms',
    ({ recovered }) => recovered,
    'at most 2000',
    (median) => median <= 2000,
  )
}

/** A table of what was measured in each round. Sets the exit code when a bound does not hold. */
export const report = (measured, slow) => {
  const line = (text, figure, ...bound) => row(text, measured.map(figure), ...bound)
  line('peak, 16 connections, per second', ({ peak }) => peak.perSecond)
  reportOverload(
    '2x the peak, open loop',
    measured.map(({ twofold }) => twofold),
  )
  reportOverload(
    '10x the peak, open loop',
    measured.map(({ tenfold }) => tenfold),
  )
  line('a quarter of the peak: p99, ms', ({ alone }) => alone.p99)
  line(`  beside ${slow} slow connections`, ({ besideSlow }) => besideSlow.p99)
  line(
    '  ratio',
    ({ alone, besideSlow }) => besideSlow.p99 / alone.p99,
    'at most 2',
    (median) => median <= 2,
  )
  line('    of an idle server', ({ alone, besideSlow }) => besideSlow.idleP99 / alone.idleP99)
}
