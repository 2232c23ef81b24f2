// Long runs of the main properties: agreement with the reference model, non-interference on generated worlds, freshness,
// timing, the longest steps, both object stores, and many servers over PostgreSQL behind PgBouncer and nginx. All engines
// must be installed. Run it after a build, on a quiet machine:
// node scripts/check-long.mjs
//   --seed N           repeats the worlds and requests of an earlier run
//   --only NAME,NAME   core, http, files, pairs, stale, timing, steps, stores, conformance, packages, servers
//   --from N           continues an interrupted run of this seed at this part
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { inspect, parseArgs } from 'node:util'
import { serve, serveFiles } from '../apps/server/bench/services.mjs'
import { coreBackend, httpBackend, memoryPorts, modelAgreement } from '../packages/testkit/dist/index.js'
import { nonInterference, swappedBackend } from '../test/support/dist/index.js'

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: String(Math.floor(Math.random() * 1_000_000)) },
    only: { type: 'string', default: 'core,http,files,pairs,stale,timing,steps,stores,conformance,packages,servers' },
    from: { type: 'string', default: '1' },
  },
})
const baseSeed = Number(values.seed)
const from = Number(values.from)
if (!Number.isSafeInteger(baseSeed) || !Number.isSafeInteger(from)) throw new Error('--seed and --from take a number')

const noop = async () => undefined
const core = coreBackend('the domain over memory', true, async (world) => ({
  ports: memoryPorts(world),
  close: noop,
}))
const files = httpBackend('HTTP over files and SQLite', false, serveFiles)

const withMemory = async (use) => {
  const swapped = await swappedBackend('HTTP over memory', serve)
  try {
    return await use(swapped)
  } finally {
    await swapped.close()
  }
}

const httpMemory = ({ port, swap }) =>
  httpBackend('HTTP over memory', true, async (world) => {
    swap(world)
    return { port, close: noop }
  })

const agreement = async (backend, seed, asksPerWorld) => {
  const report = await modelAgreement(backend, { requests: 10_000, seed, asksPerWorld })
  return {
    counts: { requests: report.requests, worlds: report.worlds },
    answers: report.answers,
    found: report.disagreement,
  }
}

const interference = async (backend, seed) => {
  const report = await nonInterference(backend, { pairs: 10_000, seed })
  const { pairs, differing, requests } = report
  return { counts: { pairs, differing, requests }, answers: report.answers, found: report.interference }
}

const checks = {
  core: ['the model, the domain over memory', (seed) => agreement(core, seed, 50)],
  http: ['the model, HTTP over memory', (seed) => withMemory((memory) => agreement(httpMemory(memory), seed, 50))],
  files: ['the model, HTTP over files and SQLite', (seed) => agreement(files, seed, 100)],
  pairs: ['non-interference, HTTP over memory', (seed) => withMemory(({ backend }) => interference(backend, seed))],
}

const add = (one, other) =>
  Object.fromEntries(
    [...new Set([...Object.keys(one), ...Object.keys(other)])].map((key) => [key, (one[key] ?? 0) + (other[key] ?? 0)]),
  )

const shown = (counts) =>
  Object.entries(counts)
    .map(([what, count]) => `${count.toLocaleString('en')} ${what}`)
    .join(', ')

const vitest = ['../node_modules/vitest/vitest.mjs', 'run', '--no-file-parallelism']
const only = values.only.split(',')
/** Programs that print their own reports. */
const scripts = {
  stale: [
    [...vitest, 'neverStale', 'movedWhileRead.test.ts', 'apps/server/test/faults.test.ts', 'slowClients'],
    'stale: a million cached answers and a million over HTTP, none stale; moves and faults during reads; slow clients see only data that was allowed when it was read',
  ],
  timing: [['server/bench/timing.mjs'], 'timing: only the seeded leak was found'],
  steps: [['server/bench/longSteps.mjs'], 'steps: only the seeded one blocks the event loop'],
  stores: [
    ['harness/bin/canopy-harness.js', 'run', '--backend', 'ceph', 'swift', '--worlds', '200', '--seed', values.seed],
    'stores: laws, scenarios and the model over Ceph and Swift',
  ],
  conformance: [
    [...vitest, 'apps/harness/test/wholeWay.test.ts', 'apps/harness/test/overObjects.test.ts'],
    'conformance: the demo with its explorer, and an object store',
  ],
  packages: [
    [...vitest, 'test/packages.test.ts', 'test/tarballs.test.ts', 'apps/server/test/openapi/clients.test.ts'],
    'packages: published, installed and used; clients generated in four ways',
  ],
  servers: [
    [
      ...vitest,
      'apps/server/test/manyServers.test.ts',
      'apps/harness/test/manyServers.test.ts',
      'packages/registry/test/manySettings.test.ts',
      'apps/admin/test/import.test.ts',
    ],
    'servers: no stale and no wrong answer of many servers, a million settings read while they change, 100,000 lines imported',
  ],
}
const unknown = only.filter((name) => !(name in scripts) && !(name in checks))
if (unknown.length > 0)
  throw new Error(`--only takes ${Object.keys({ ...checks, ...scripts }).join(', ')}, not ${unknown.join()}`)

// Ten parts of 10,000 each. Their seeds are far enough apart to generate different worlds.
const parts = Object.keys(checks)
  .flatMap((name, row) =>
    Array.from({ length: 10 }, (_, part) => ({ name, seed: baseSeed + 1000 * (10 * row + part) })),
  )
  .filter(({ name }) => only.includes(name))
const totals = new Map()
let failed = false

console.log(`seed ${baseSeed}, ${parts.length} parts; continue with --seed ${baseSeed} --from PART`)
for (const [position, { name, seed }] of parts.entries()) {
  if (position + 1 < from) continue
  const [title, check] = checks[name]
  const started = performance.now()
  const { counts, answers, found } = await check(seed)
  const seconds = (performance.now() - started) / 1000
  console.log(`part ${position + 1} of ${parts.length}: ${title}: ${shown(counts)}, ${seconds.toFixed(1)} s`)
  if (found._tag === 'Some') {
    failed = true
    console.log(inspect(found.value, { depth: null }))
  }
  const before = totals.get(title) ?? { counts: {}, answers: {}, wrong: 0, seconds: 0 }
  totals.set(title, {
    counts: add(before.counts, counts),
    answers: add(before.answers, answers),
    wrong: before.wrong + (found._tag === 'Some' ? 1 : 0),
    seconds: before.seconds + seconds,
  })
}

const run = ([script, ...args]) =>
  new Promise((resolve) => {
    const path = fileURLToPath(new URL(`../apps/${script}`, import.meta.url))
    spawn(process.execPath, [path, ...args], {
      stdio: 'inherit',
      env: { ...process.env, CI: 'true', CANOPY_TEST: 'long' },
    }).once('exit', resolve)
  })
const reports = []
for (const [name, [command, success]] of Object.entries(scripts)) {
  if (!only.includes(name)) continue
  const isPassed = (await run(command)) === 0
  failed ||= !isPassed
  reports.push(isPassed ? success : `${name}: FAILED`)
}

console.log(`\nseed ${baseSeed}`)
for (const [title, { counts, answers, wrong, seconds }] of totals) {
  console.log(`${title}: ${shown(counts)}; ${wrong} disagreements; ${seconds.toFixed(0)} s`)
  const sorted = Object.entries(answers).sort(([, x], [, y]) => y - x)
  console.log(`  ${shown(Object.fromEntries(sorted))}`)
}
for (const report of reports) console.log(report)
console.log(failed ? 'FAILED' : 'all passed')
process.exitCode = failed ? 1 : 0
