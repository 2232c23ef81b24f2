// What one worker takes: idle, with full caches under load, beside clients that do not read, and beside large trees.
//
//   node apps/server/bench/memory.mjs [--directories 999] [--seconds 20] [--clients 64] [--slow 256]
//
// Prints one line for each phase, in MiB: the worker's own memory (RssAnon), what it maps from files, which workers share
// (RssFile), and the own memory of its readers. Each phase continues from the one before. Needs Linux.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '@canopy/test-support'
import { seedData } from './services.mjs'

const { values } = parseArgs({
  options: {
    directories: { type: 'string', default: '999' },
    seconds: { type: 'string', default: '20' },
    clients: { type: 'string', default: '64' },
    slow: { type: 'string', default: '256' },
  },
})
const directories = Number(values.directories)
const filesEach = 1_000

const account = { id: '1', verified: true, tokens: [], settings: [{ path: '/', visibility: 'public' }], area: [] }

/** Long names fill the cache of listings with few files. */
const fill = (area) => {
  for (let directory = 0; directory < directories; directory += 1) {
    const path = join(area, `${directory}`)
    mkdirSync(path)
    for (let file = 0; file < filesEach; file += 1) writeFileSync(join(path, `${file}${'n'.repeat(200)}`), '')
  }
}

/** Empty for a reader that has ended. */
const statusOf = (pid) => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

const mebibytes = (pid, field) => {
  const [, kibibytes = '0'] = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(statusOf(pid)) ?? []
  return Number(kibibytes) / 1024
}

const childrenOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )

const sumOf = (pids, field) => pids.reduce((sum, pid) => sum + mebibytes(pid, field), 0)

const data = mkdtempSync(join(tmpdir(), 'canopy-memory-'))
const port = await freePort()
const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
const at = (path) => ({ agent, port, path: `/api/usercontent/v1/${path}` })

const ask = (path) =>
  new Promise((resolve, reject) => {
    get(at(path), (response) => response.on('error', reject).on('end', resolve).resume()).on('error', reject)
  })

/** Asks for a tree and reads nothing of it. */
const askAndWait = (path) =>
  new Promise((resolve, reject) => {
    get({ ...at(path), agent: false }, (response) => resolve(response.on('error', () => undefined).pause())).on(
      'error',
      reject,
    )
  })

const listings = async () => {
  let next = 0
  const until = performance.now() + Number(values.seconds) * 1_000
  const client = async () => {
    while (performance.now() < until) {
      next += 1
      await ask(`diritems/id/1/${next % directories}`)
    }
  }
  await Promise.all(Array.from({ length: Number(values.clients) }, client))
}

const metricsPort = await freePort()

/** The largest of each while it runs. */
const watched = async (name, pid, run) => {
  const largest = { anon: 0, file: 0, readers: 0, readerCount: 0 }
  const sample = () => {
    const readers = childrenOf(pid)
    const now = {
      anon: mebibytes(pid, 'RssAnon'),
      file: mebibytes(pid, 'RssFile'),
      readers: sumOf(readers, 'RssAnon'),
      readerCount: readers.length,
    }
    for (const key of Object.keys(now)) largest[key] = Math.max(largest[key], now[key])
  }
  const timer = setInterval(sample, 100)
  await run()
  sample()
  clearInterval(timer)
  const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const [, cache = '0'] = /^canopy_listing_cache_bytes(?:\{.*\})? (\S+)$/m.exec(metrics) ?? []
  largest.listingCache = Number(cache) / 2 ** 20
  const rounded = Object.entries(largest).map(([key, value]) => [key, Math.round(value)])
  console.log(JSON.stringify({ phase: name, ...Object.fromEntries(rounded) }))
}

try {
  await seedData(data, { accounts: [account], triggers: [] })
  fill(join(data, 'areas', '1'))
  const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
  const server = spawn(process.execPath, [main], {
    env: { CANOPY_DATA: data, CANOPY_PORT: `${port}`, CANOPY_METRICS_PORT: `${metricsPort}`, CANOPY_LOG: 'warn' },
    stdio: 'inherit',
  })
  const isUp = () =>
    ask('tree/id/1?depth=0').then(
      () => true,
      () => false,
    )
  while (!(await isUp())) await sleep(100)
  await watched('idle', server.pid, () => sleep(2_000))
  await watched('caches are filled', server.pid, listings)
  await watched('listings from full caches', server.pid, listings)
  const trees = () => Promise.all(Array.from({ length: 4 }, () => ask('tree/id/1')))
  await watched('four trees of everything at once', server.pid, trees)
  const slow = []
  await watched('and clients that read nothing', server.pid, async () => {
    slow.push(...(await Promise.all(Array.from({ length: Number(values.slow) }, () => askAndWait('tree/id/1')))))
    await Promise.all([trees(), listings()])
  })
  for (const response of slow) response.destroy()
  await watched('everyone left', server.pid, () => sleep(5_000))
  server.kill()
  await once(server, 'exit')
} finally {
  agent.destroy()
  rmSync(data, { recursive: true })
}
