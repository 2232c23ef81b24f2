// How the server behaves when more is asked of it than it can do: after a build,
//   node apps/server/bench/overload.mjs [ROUNDS] [SLOW CONNECTIONS]
//
// In each round the peak is measured first, with a few connections that ask as fast as they are answered. Then requests
// arrive at a multiple of it, whether or not earlier ones were answered (open loop). Listings are not kept, so that each
// request is real work. Figures are compared within a round, since the machine changes its pace; the median of the rounds
// counts. Everything is on the loopback interface and bounded in count and time.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url))
const data = mkdtempSync(join(tmpdir(), 'canopy-overload-'))
const environment = { ...process.env, CANOPY_DATA: data, CANOPY_PORT: '0', CANOPY_KEPT_BYTES: '0', CANOPY_LOG: 'info' }
const canopy = (...parameters) =>
  execFileSync(process.execPath, [path('../../admin/bin/canopy.js'), ...parameters], { env: environment })

const entries = 1000
canopy('account', 'create', '--id', '1', '--verified')
canopy('visibility', 'set', '1', '/', 'public')
mkdirSync(join(data, 'areas/1/d'))
for (let index = 0; index < entries; index += 1) writeFileSync(join(data, `areas/1/d/file ${index}`), '')

const server = spawn(process.execPath, [path('../dist/main.js')], {
  env: environment,
  stdio: ['ignore', 'pipe', 'inherit'],
})
const port = await new Promise((resolve) => {
  createInterface({ input: server.stdout }).on('line', (line) => {
    const { msg, url } = JSON.parse(line)
    if (msg === 'listening') resolve(Number(new URL(url).port))
  })
})

const target = '/api/usercontent/v1/diritems/id/1/d'
const agent = new Agent({ keepAlive: true, maxSockets: 4000, maxFreeSockets: 4000 })

/** Status (0 for none) and milliseconds. */
const ask = () =>
  new Promise((resolve) => {
    const began = performance.now()
    const done = (status) => resolve({ status, ms: performance.now() - began })
    const asked = request({ port, host: '127.0.0.1', path: target, agent }, (response) => {
      response.resume()
      response.once('end', () => done(response.statusCode))
      response.once('error', () => done(0))
    })
    asked.once('error', () => done(0))
    asked.end()
  })

const quantile = (numbers, q) => [...numbers].sort((x, y) => x - y)[Math.floor(q * (numbers.length - 1))] ?? Number.NaN
const of = (answers, status) => answers.filter((answer) => answer.status === status).map(({ ms }) => ms)

const closedLoop = async (connections, ms) => {
  const answers = []
  const ends = performance.now() + ms
  const one = async () => {
    while (performance.now() < ends) answers.push(await ask())
  }
  await Promise.all(Array.from({ length: connections }, one))
  return answers
}

const openLoop = async (perSecond, ms) => {
  const pending = []
  const began = performance.now()
  for (let sent = 0; performance.now() - began < ms; ) {
    const due = ((performance.now() - began) / 1000) * perSecond
    for (; sent < due; sent += 1) pending.push(ask())
    await sleep(1)
  }
  return Promise.all(pending)
}

const seconds = 8
const rounds = Number(process.argv[2] ?? 3)
const slow = Number(process.argv[3] ?? 5000)

const peakOf = async () => {
  const answered = of(await closedLoop(16, seconds * 1000), 200)
  return { perSecond: answered.length / seconds, p50: quantile(answered, 0.5), p99: quantile(answered, 0.99) }
}

/** How long until an answer comes as fast as before. */
const recovery = async (normalMs) => {
  const over = performance.now()
  while (performance.now() - over < 5000) {
    const { status, ms } = await ask()
    if (status === 200 && ms <= normalMs) return performance.now() - over
  }
  return Number.POSITIVE_INFINITY
}

const overloadOf = async (peak, times) => {
  const answers = await openLoop(peak.perSecond * times, seconds * 1000)
  const refused = of(answers, 503)
  return {
    goodput: of(answers, 200).length / seconds / peak.perSecond,
    refused: refused.length,
    refusalP50: quantile(refused, 0.5),
    refusalP99: quantile(refused, 0.99),
    unanswered: of(answers, 0).length,
    recovered: await recovery(peak.p50),
  }
}

const moderateP99 = async (peak) => quantile(of(await openLoop(peak.perSecond / 4, seconds * 1000), 200), 0.99)

/** In a process of their own, or their work would be measured as ours. */
const besideSlowOnes = async (measure) => {
  const clients = spawn(process.execPath, [path('slowClients.mjs'), String(port), String(slow)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(clients.stdout, 'data')
  const measured = await measure()
  clients.kill()
  await once(clients, 'exit')
  return measured
}

const roundOf = async () => {
  const peak = await peakOf()
  const twofold = await overloadOf(peak, 2)
  const tenfold = await overloadOf(peak, 10)
  const without = await moderateP99(peak)
  const withThem = await besideSlowOnes(() => moderateP99(peak))
  return { peak, twofold, tenfold, slow: { without, withThem, ratio: withThem / without } }
}

const shown = (number) => (number < 10 ? number.toFixed(2) : number.toFixed(0))
let failed = false

/** The median of the rounds, and the least and the most of them; held against a bound where there is one. */
const row = (name, figures, bound, holds) => {
  const median = quantile(figures, 0.5)
  const spread = `${shown(median)} (${shown(Math.min(...figures))} to ${shown(Math.max(...figures))})`
  const held = holds === undefined || holds(median)
  failed ||= !held
  console.log(name.padEnd(44), spread.padEnd(28), bound ?? '', holds === undefined ? '' : held ? 'held' : 'NOT HELD')
}

await closedLoop(16, 2000)
const measured = []
for (let round = 1; round <= rounds; round += 1) {
  measured.push(await roundOf())
  console.error(`round ${round} of ${rounds}`)
}
/** Where nothing was refused nothing was late. */
const refusedInTime = (medianMs) => Number.isNaN(medianMs) || medianMs < 5

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
  row('  without an answer', figures('unanswered'))
  row('  refusal p50, ms', figures('refusalP50'), 'under 5', refusedInTime)
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

server.kill()
agent.destroy()
rmSync(data, { recursive: true })
process.exitCode = failed ? 1 : 0
