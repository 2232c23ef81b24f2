import { holds, quantile, spread } from '../figures.mjs'
import { shownSpread } from '../numbers.mjs'

/** The median of the rounds, and the least and the most of them; the median is held against a bound where there is one. */
const row = (name, figures, bound) => {
  const all = spread(figures)
  const isHeld = bound === undefined || holds(bound, all.median)
  const [[word, limit] = []] = Object.entries(bound ?? {})
  const said = bound && `${word === 'atLeast' ? 'at least' : 'at most'} ${limit}: ${isHeld ? 'held' : 'NOT HELD'}`
  console.log(name.padEnd(44), shownSpread(all).padEnd(28), said ?? '')
  if (!isHeld) process.exitCode = 1
}

const quantiles = { p50: 0.5, p95: 0.95, p99: 0.99 }

/** Where nothing was refused nothing was late. */
const late = (refusals, q) => (refusals.length === 0 ? 0 : quantile(refusals, q))

const reportOverload = (name, phases) => {
  const line = (text, figure, bound) => row(text, phases.map(figure), bound)
  line(`${name}: goodput / peak`, ({ goodput }) => goodput, { atLeast: 0.85 })
  line('  refused', ({ refusals }) => refusals.length)
  row('  without an answer, in all rounds', [phases.reduce((sum, { unanswered }) => sum + unanswered, 0)], {
    atMost: 0,
  })
  for (const [label, q] of Object.entries(quantiles)) {
    line(`  refusal ${label}, ms`, ({ refusals }) => late(refusals, q), label === 'p95' ? { atMost: 20 } : undefined)
    line('    an idle server beside it, ms', ({ idle }) => quantile(idle, q))
  }
  line('  normal again after, ms', ({ recovered }) => recovered, { atMost: 2000 })
}

/** A table of what was measured in each round. Sets the exit code when a bound does not hold. */
export const report = (measured, slow) => {
  const line = (text, figure, bound) => row(text, measured.map(figure), bound)
  const overloads = (of) => measured.map((round) => round[of])
  line('peak, 16 connections, per second', ({ peak }) => peak.perSecond)
  reportOverload('2x the peak, open loop', overloads('twofold'))
  reportOverload('10x the peak, open loop', overloads('tenfold'))
  line('a quarter of the peak: p99, ms', ({ alone }) => alone.p99)
  line(`  beside ${slow} slow connections`, ({ besideSlow }) => besideSlow.p99)
  line('  ratio', ({ alone, besideSlow }) => besideSlow.p99 / alone.p99, { atMost: 2 })
  line('    of an idle server', ({ alone, besideSlow }) => besideSlow.idleP99 / alone.idleP99)
}
