// How the server behaves when more is asked of it than it can do: after a build,
//   node bench/overload/overload.mjs [ROUNDS] [SLOW CONNECTIONS]
//
// In each round the peak is measured first, with a few connections that ask as fast as they are answered. Then requests
// arrive at a multiple of it, whether or not earlier ones were answered. Listings are not kept, so that each request is
// real work. Figures are compared within a round, since the machine changes its pace; the median of the rounds counts.
// Everything is on the loopback interface and bounded in count and time.
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { canopy, startCanopy } from '../canopy.mjs'
import { quantile, spread } from '../figures.mjs'
import { plantFiles } from '../plant.mjs'
import { startProcess, withServers } from '../processes.mjs'
import { openScratch } from '../scratch.mjs'
import { connectionPool } from './connectionPool.mjs'
import { closedLoop, openLoop } from './loads.mjs'

const rounds = Number(process.argv[2] ?? 3)
const slow = Number(process.argv[3] ?? 5000)
const seconds = 8
const entries = 1000
const slowClients = fileURLToPath(new URL('slowClients.mjs', import.meta.url))

const of = (answers, status) => answers.filter((answer) => answer.status === status).map(({ ms }) => ms)

const peakOf = async (ask) => {
  const answered = of(await closedLoop(ask, 16, seconds * 1000), 200)
  return { perSecond: answered.length / seconds, p50: quantile(answered, 0.5) }
}

/** How long until an answer comes as fast as before. */
const recovery = async (ask, normalMs) => {
  const over = performance.now()
  while (performance.now() - over < 5000) {
    const { status, ms } = await ask()
    if (status === 200 && ms <= normalMs) return performance.now() - over
  }
  return Number.POSITIVE_INFINITY
}

const overloadOf = async (ask, peak, times) => {
  const answers = await openLoop(ask, peak.perSecond * times, seconds * 1000)
  const refused = of(answers, 503)
  return {
    goodput: of(answers, 200).length / seconds / peak.perSecond,
    refused: refused.length,
    refusalP50: quantile(refused, 0.5),
    refusalP95: quantile(refused, 0.95),
    refusalP99: quantile(refused, 0.99),
    unanswered: of(answers, 0).length,
    recovered: await recovery(ask, peak.p50),
  }
}

const moderateP99 = async (ask, peak) =>
  quantile(of(await openLoop(ask, peak.perSecond / 4, seconds * 1000), 200), 0.99)

/** In a process of their own, or their work would be measured as ours. */
const besideSlowOnes = async (port, measure) => {
  const { child, stop } = startProcess(process.execPath, [slowClients, String(port), String(slow)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const measured = await measure()
  await stop()
  return measured
}

const roundOf = async (port, ask) => {
  const peak = await peakOf(ask)
  const twofold = await overloadOf(ask, peak, 2)
  const tenfold = await overloadOf(ask, peak, 10)
  const without = await moderateP99(ask, peak)
  const withThem = await besideSlowOnes(port, () => moderateP99(ask, peak))
  return { peak, twofold, tenfold, slow: { without, withThem, ratio: withThem / without } }
}

const measure = async (data) => {
  const run = canopy(data)
  await run('account', 'create', '--id', '1', '--verified')
  await run('visibility', 'set', '1', '/', 'public')
  await plantFiles(join(data, 'areas/1/d'), entries)
  const start = () => startCanopy(data, { CANOPY_KEPT_BYTES: '0', CANOPY_LOG: 'info' })
  return withServers([start], async ([{ port }]) => {
    const { ask } = connectionPool(port, '/api/usercontent/v1/diritems/id/1/d')
    await closedLoop(ask, 16, 2000)
    const measured = []
    for (let round = 1; round <= rounds; round += 1) {
      measured.push(await roundOf(port, ask))
      console.error(`round ${round} of ${rounds}`)
    }
    return measured
  })
}

const shown = (number) => (number < 10 ? number.toFixed(2) : number.toFixed(0))

/** The median of the rounds, and the least and the most of them; held against a bound where there is one. */
const row = (name, figures, bound, holds = () => true) => {
  const { median, min, max } = spread(figures)
  const verdict = holds(median) ? 'held' : 'NOT HELD'
  const all = `${shown(median)} (${shown(min)} to ${shown(max)})`
  console.log(name.padEnd(44), all.padEnd(28), ...(bound === undefined ? [] : [bound, verdict]))
  if (!holds(median)) process.exitCode = 1
}

/** Where nothing was refused nothing was late. */
const refusedInTime = (ms) => Number.isNaN(ms) || ms < 5

const report = (measured) => {
  const each = (figure) => measured.map(figure)
  row(
    'peak, 16 connections, per second',
    each(({ peak }) => peak.perSecond),
  )
  for (const [name, phase, share] of [
    ['2x the peak, open loop', 'twofold', 0.95],
    ['10x the peak, open loop', 'tenfold', 0.85],
  ]) {
    const figures = (figure) => each((round) => round[phase][figure])
    row(`${name}: goodput / peak`, figures('goodput'), `at least ${share}`, (median) => median >= share)
    row('  refused', figures('refused'))
    row('  without an answer', figures('unanswered'), 'none', (median) => median === 0)
    row('  refusal p50, ms', figures('refusalP50'), 'under 5', refusedInTime)
    row('  refusal p95, ms', figures('refusalP95'))
    row('  refusal p99, ms', figures('refusalP99'))
    row('  normal again after, ms', figures('recovered'), 'at most 2000', (median) => median <= 2000)
  }
  row(
    'a quarter of the peak: p99, ms',
    each((round) => round.slow.without),
  )
  row(
    `  beside ${slow} slow connections`,
    each((round) => round.slow.withThem),
  )
  row(
    '  ratio',
    each((round) => round.slow.ratio),
    'at most 1.5',
    (median) => median <= 1.5,
  )
}

const scratch = openScratch({ keep: false })
try {
  report(await measure(scratch.directory))
} finally {
  scratch.remove()
}
process.exit()
