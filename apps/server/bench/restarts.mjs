// Restarts the service again and again under load, and counts what happens to the requests.
//
//   node apps/server/bench/restarts.mjs [--rounds 100] [--clients 12] [--how stop|reload|both] [--drain MS] [--workers 1]
//
// stop:   one process, or a service of several workers, is told to stop by SIGTERM, another is started on the same port.
// reload: two workers are replaced after SIGHUP. Here nothing may fail, not even a new connection.
//
// Prints one JSON document, and exits 1 when a request failed in flight, or when a reload lost a connection in any way.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '@canopy/test-support'
import { failuresInFlight, startLoad } from './restartLoad.mjs'
import { seedData } from './services.mjs'

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    clients: { type: 'string', default: '12' },
    how: { type: 'string', default: 'both' },
    drain: { type: 'string', default: '0' },
    workers: { type: 'string', default: '1' },
  },
})
const rounds = Number(values.rounds)

const file = (_, index) => ({ type: 'file', name: `${'n'.repeat(100)}${index}`, size: 0n, last_modified: 1n })
const directory = (name, length) => ({ type: 'dir', name, last_modified: 1n, content: Array.from({ length }, file) })

/** A small directory, and one whose tree is streamed in several pieces. */
const world = {
  accounts: [
    {
      id: '1',
      verified: true,
      tokens: [],
      settings: [{ path: '/', visibility: 'public' }],
      area: [directory('small', 10), directory('large', 1_200)],
    },
  ],
  triggers: [],
}

const targets = [
  ...Array(18).fill('/api/usercontent/v1/diritems/id/1/small'),
  '/api/usercontent/v1/tree/id/1/large',
  '/api/usercontent/v1/diritems/id/1/nothing',
]

/** The server, and a way to wait for a line of its log. */
const startServer = (data, port, variables) => {
  const server = spawn(process.execPath, [main], {
    env: {
      CANOPY_DATA: data,
      CANOPY_PORT: String(port),
      CANOPY_DRAIN_MS: values.drain,
      CANOPY_LOG: 'info',
      ...variables,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(server, 'exit')
  const waiting = []
  createInterface({ input: server.stdout }).on('line', (text) => {
    const { msg } = JSON.parse(text)
    for (const waiter of waiting.splice(0)) {
      if (waiter.msg === msg) waiter.resolve()
      else waiting.push(waiter)
    }
  })
  const said = (msg) =>
    Promise.race([
      new Promise((resolve) => waiting.push({ msg, resolve })),
      exited.then(([code]) => Promise.reject(new Error(`the server ended with ${code} before it said "${msg}"`))),
    ])
  return { server, said, exited }
}

const stopped = async ({ server, exited }) => {
  server.kill('SIGTERM')
  const [code] = await exited
  return code
}

const startToStop = async (data, port) => {
  const running = startServer(data, port, { CANOPY_WORKERS: values.workers })
  await running.said(values.workers === '1' ? 'listening' : 'all workers are ready')
  return running
}

const stopAgainAndAgain = async (data, port, load) => {
  let running = await startToStop(data, port)
  const codes = []
  const begun = load()
  for (let round = 0; round < rounds; round += 1) {
    await sleep(200 + Math.random() * 100)
    codes.push(await stopped(running))
    running = await startToStop(data, port)
  }
  await begun.stop()
  codes.push(await stopped(running))
  return { counts: begun.counts, exitsOtherThan0: codes.filter((code) => code !== 0).length }
}

const reloadAgainAndAgain = async (data, port, load) => {
  const running = startServer(data, port, { CANOPY_WORKERS: '2' })
  await running.said('all workers are ready')
  const begun = load()
  for (let round = 0; round < rounds; round += 1) {
    await sleep(200 + Math.random() * 100)
    const reloaded = running.said('reloaded')
    running.server.kill('SIGHUP')
    await reloaded
  }
  await begun.stop()
  const code = await stopped(running)
  return { counts: begun.counts, exitsOtherThan0: code === 0 ? 0 : 1 }
}

const ways = { stop: stopAgainAndAgain, reload: reloadAgainAndAgain }

const data = mkdtempSync(join(tmpdir(), 'canopy-restarts-'))
try {
  await seedData(data, world)
  const report = {}
  for (const [how, restart] of Object.entries(ways)) {
    if (values.how !== 'both' && values.how !== how) continue
    const port = await freePort()
    const began = performance.now()
    const { counts, exitsOtherThan0 } = await restart(data, port, () =>
      startLoad(port, targets, Number(values.clients)),
    )
    const failedInFlight = failuresInFlight.reduce((sum, outcome) => sum + counts[outcome], 0)
    report[how] = {
      rounds,
      seconds: Math.round((performance.now() - began) / 1000),
      failedInFlight,
      exitsOtherThan0,
      ...counts,
    }
    if (failedInFlight + exitsOtherThan0 > 0 || (how === 'reload' && counts.refused + counts.notAccepted > 0))
      process.exitCode = 1
  }
  console.log(JSON.stringify(report, undefined, 2))
} finally {
  rmSync(data, { recursive: true })
}
