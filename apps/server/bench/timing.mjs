// Whether answers that must not be told apart take the same time: the built server over files and SQLite, asked over
// one kept connection. Run it after a build, on a machine that does little else:
// node apps/server/bench/timing.mjs [--requests N]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { keepAliveConnection } from '@canopy/test-support'
import { seedData } from './services.mjs'
import { pairs, world } from './timedWorld.mjs'

/**
 * |t| above 4.5 tells a leak: the threshold of Test Vector Leakage Assessment (Goodwill, Jun, Jaffe, Rohatgi, "A testing
 * methodology for side-channel resistance validation", 2011), taken over to software by dudect (Reparaz, Balasch,
 * Verbauwhede, "Dude, is my code constant time?", 2017). Without a leak it is passed once in about 150,000 tests.
 */
const threshold = 4.5

/** The slowest tenth of both classes together is left out, as dudect does: it tells of the machine, not of the answer. */
const quantile = 0.9

/** What the planted leak takes longer. */
const plantedMicroseconds = 20

const { requests } = parseArgs({ options: { requests: { type: 'string', default: '20000' } } }).values
const count = Number(requests)
if (!Number.isSafeInteger(count) || count < 100) throw new Error('--requests must be a whole number from 100')
const warmUp = Math.ceil(count / 10)

const start = (script, args, env) =>
  new Promise((resolve, reject) => {
    const path = fileURLToPath(new URL(script, import.meta.url))
    const child = spawn(process.execPath, [path, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)))
    const lines = createInterface({ input: child.stdout })
    lines.once('line', (line) => {
      lines.close()
      // Its log is of no use here, but somebody must read it.
      child.stdout.resume()
      resolve({ port: Number(new URL(JSON.parse(line).url).port), stop: () => child.kill() })
    })
  })

const shuffled = (all) =>
  all
    .map((one) => [Math.random(), one])
    .sort(([x], [y]) => x - y)
    .map(([, one]) => one)
const anyOf = (all) => all[Math.floor(Math.random() * all.length)]

/** Microseconds of each request by class; in every round each class once, in a random order. */
const measure = async (port, classes) => {
  const connection = await keepAliveConnection(port)
  const samples = classes.map(() => [])
  for (let round = -warmUp; round < count; round++) {
    for (const index of shuffled([...classes.keys()])) {
      const request = [{ method: 'GET', target: anyOf(classes[index]) }]
      const started = process.hrtime.bigint()
      await connection.send(request)
      const took = process.hrtime.bigint() - started
      if (round >= 0) samples[index].push(Number(took) / 1000)
    }
  }
  connection.close()
  return samples
}

const mean = (sample) => sample.reduce((sum, x) => sum + x, 0) / sample.length
const squaredError = (sample, centre) =>
  sample.reduce((sum, x) => sum + (x - centre) ** 2, 0) / (sample.length - 1) / sample.length

/** Compares two samples by Welch's t-test. `t`: difference of the means in standard errors. */
const welch = (one, other) => {
  const means = [mean(one), mean(other)]
  const t = (means[1] - means[0]) / Math.sqrt(squaredError(one, means[0]) + squaredError(other, means[1]))
  return { counts: [one.length, other.length], means, t }
}

/** Removes values above the quantile of both samples together: the bound must not depend on the class. */
const trimmed = (one, other) => {
  const sorted = Float64Array.from([...one, ...other]).sort()
  const bound = sorted[Math.floor(sorted.length * quantile)]
  return [one.filter((x) => x <= bound), other.filter((x) => x <= bound)]
}

const assess = async ({ port, stop }, title, assessed) => {
  console.log(title)
  const samples = await measure(
    port,
    assessed.flatMap(({ classes }) => classes),
  )
  stop()
  return assessed.map(({ name }, index) => {
    const [one, other] = trimmed(samples[2 * index], samples[2 * index + 1])
    const { counts, means, t } = welch(one, other)
    const toldApart = Math.abs(t) >= threshold
    const verdict = toldApart ? 'TOLD APART' : 'no difference found'
    const figures = `n ${counts.join(' + ')}, means ${means.map((mean) => mean.toFixed(1)).join(' and ')} µs`
    console.log(`  ${name}: ${figures}, t ${t.toFixed(2)}: ${verdict}`)
    return toldApart
  })
}

const data = mkdtempSync(join(tmpdir(), 'canopy-timing-'))
try {
  await seedData(data, world)
  const env = { PATH: process.env.PATH, CANOPY_DATA: data, CANOPY_PORT: '0', CANOPY_FAILED_LOOKUPS: '0' }
  const server = await start('../dist/main.js', [], env)
  const found = await assess(server, `the server, ${count} requests of each class`, pairs)
  const slow = join(data, 'slow.json')
  writeFileSync(slow, JSON.stringify(pairs.flatMap(({ classes }) => classes[1])))
  const leaky = await start('leakyServer.mjs', [data, String(plantedMicroseconds), slow], env)
  const caught = await assess(
    leaky,
    `the same with a planted leak of ${plantedMicroseconds} µs, which must be found`,
    pairs,
  )
  if (found.includes(true) || caught.includes(false)) process.exitCode = 1
} finally {
  rmSync(data, { recursive: true })
}
