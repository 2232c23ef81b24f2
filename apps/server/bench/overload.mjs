// How the server behaves when more is asked of it than it can do: `node apps/server/bench/overload.mjs`, after a build.
//
// The peak is measured first, with a few connections that ask as fast as they are answered. Then requests arrive at a
// multiple of it, whether or not earlier ones were answered (open loop). Listings are not kept, so that each request is
// real work. Everything is on the loopback interface and bounded in count and time.
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

const row = (name, figures) =>
  console.log(
    name.padEnd(34),
    Object.entries(figures)
      .map(([key, value]) => `${key} ${typeof value === 'number' ? value.toFixed(value < 10 ? 2 : 0) : value}`)
      .join(', '),
  )

let failed = false
const wanted = (holds) => {
  failed ||= !holds
  return holds ? 'held' : 'NOT HELD'
}

const seconds = 8
await closedLoop(16, 2000)
const calm = await closedLoop(16, seconds * 1000)
const peak = of(calm, 200).length / seconds
row('peak, 16 connections', {
  'per second': peak,
  'p50 ms': quantile(of(calm, 200), 0.5),
  'p99 ms': quantile(of(calm, 200), 0.99),
})

for (const [times, share] of [
  [2, 0.95],
  [10, 0.85],
]) {
  const answers = await openLoop(peak * times, seconds * 1000)
  const goodput = of(answers, 200).length / seconds
  const refused = of(answers, 503)
  row(`${times}x the peak, open loop`, {
    'goodput per second': goodput,
    'of the peak': goodput / peak,
    [`at least ${share}`]: wanted(goodput / peak >= share),
    refused: refused.length,
    'refusal p50 ms': quantile(refused, 0.5),
    'p99 ms': quantile(refused, 0.99),
    'p50 under 5 ms': wanted(refused.length === 0 || quantile(refused, 0.5) < 5),
    'no answer': of(answers, 0).length,
  })
  const over = performance.now()
  const normal = quantile(of(calm, 200), 0.5)
  let recovered = Number.NaN
  while (performance.now() - over < 5000) {
    const { status, ms } = await ask()
    if (status === 200 && ms <= normal) {
      recovered = performance.now() - over
      break
    }
  }
  row('  normal again', { 'after ms': recovered, 'within 2 s': wanted(recovered <= 2000) })
}

const slow = Number(process.argv[2] ?? 5000)
const moderate = async () => of(await openLoop(peak / 4, seconds * 1000), 200)
const before = await moderate()
// In a process of their own, or their work would be measured as ours.
const slowClients = spawn(process.execPath, [path('slowClients.mjs'), String(port), String(slow)], {
  stdio: ['ignore', 'pipe', 'inherit'],
})
await once(slowClients.stdout, 'data')
const during = await moderate()
slowClients.kill()
const ratio = quantile(during, 0.99) / quantile(before, 0.99)
row(`${slow} slow connections`, {
  'p99 ms without': quantile(before, 0.99),
  'p99 ms with': quantile(during, 0.99),
  ratio,
  'at most 1.5': wanted(ratio <= 1.5),
})

server.kill()
agent.destroy()
rmSync(data, { recursive: true })
process.exitCode = failed ? 1 : 0
