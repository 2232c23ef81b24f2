// Everything at once for a long time: listings, trees, lines, files, archives, clients that stall or leave, hostile heads, wrong tokens,
// a writer in the area, and an operator who changes settings.
//
//   node apps/server/bench/soak.mjs [--minutes 60] [--pause 20]
//
// `--pause` is the time in milliseconds between two requests of one actor. Prints a line a minute: memory (RssAnon) of the server
// and of its readers, descriptors, the p99 of the event loop's delay, and answers by status. Exits with 1 after an unexpected status, or
// if the last third took more memory or descriptors than the second by a tenth. Needs Linux.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { freePort } from '@canopy/test-support'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, pause: { type: 'string', default: '20' } },
})
const until = performance.now() + Number(values.minutes) * 60_000
const pause = Number(values.pause)

const bin = fileURLToPath(new URL('../../admin/bin/canopy.js', import.meta.url))
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const data = mkdtempSync(join(tmpdir(), 'canopy-soak-'))
const [port, metricsPort] = [await freePort(), await freePort()]
const env = {
  PATH: process.env.PATH,
  CANOPY_DATA: data,
  CANOPY_PORT: String(port),
  CANOPY_METRICS_PORT: String(metricsPort),
  CANOPY_FILES: 'on',
  CANOPY_LOG: 'silent',
  CANOPY_IDLE_MS: '10000',
}
const canopy = async (...words) => {
  const { stdout } = await promisify(execFile)(process.execPath, [bin, ...words, '--json'], { env })
  return JSON.parse(stdout)
}

await canopy('account', 'create', '--id', '1', '--verified')
await canopy('visibility', 'set', '1', '/', 'public')
await canopy('rule', 'add', '1', '.*', 'hidden')
const { token } = await canopy('token', 'issue', '1')
const area = join(data, 'areas/1')
for (let directory = 0; directory < 100; directory += 1) {
  mkdirSync(join(area, `${directory}`))
  for (let file = 0; file < 100; file += 1) writeFileSync(join(area, `${directory}/${file}.txt`), 'x'.repeat(file * 50))
}
writeFileSync(join(area, 'large.bin'), Buffer.alloc(16 * 2 ** 20, 7))

const server = spawn(process.execPath, [main], { env, stdio: ['ignore', 'ignore', 'inherit'] })
const ended = once(server, 'exit')

const statuses = {}
const expected = {
  200: 1,
  206: 1,
  304: 1,
  400: 1,
  401: 1,
  403: 1,
  404: 1,
  408: 1,
  409: 1,
  416: 1,
  429: 1,
  431: 1,
  left: 1,
}
const count = (status) => {
  statuses[status] = (statuses[status] ?? 0) + 1
}
const agent = new Agent({ keepAlive: true })

/** Reads a response to its end, or up to `bytes`, then leaves. */
const ask = (path, headers = {}, bytes = Number.POSITIVE_INFINITY) =>
  new Promise((resolve) => {
    const left = () => resolve(count('left'))
    const request = get({ agent, port, path, headers }, (response) => {
      let read = 0
      response.on('error', left).on('data', (chunk) => {
        read += chunk.length
        if (read > bytes) request.destroy()
      })
      response.on('end', () => resolve(count(response.statusCode)))
    }).on('error', left)
  })

const raw = (text) =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('error', resolve).on('close', resolve)
    socket.once('data', (bytes) => {
      count(Number(/^HTTP\/1\.1 (\d+)/.exec(bytes.toString('latin1'))?.[1]))
      socket.destroy()
    })
    setTimeout(() => socket.destroy(), 12_000).unref()
  })

/** Asks for all lines and reads none of them for a while. */
const stall = () =>
  new Promise((resolve) => {
    const path = '/api/usercontent/v1/tree/id/1'
    const request = get({ port, agent: false, path, headers: { Accept: 'application/x-ndjson' } }, (response) => {
      response.on('error', () => undefined).pause()
      setTimeout(() => resolve(request.destroy()), 5_000)
    }).on('error', resolve)
  })

const random = (below) => Math.floor(Math.random() * below)
const some = (list) => list[random(list.length)]
const user = (path) => `/api/usercontent/v1/${path}`
const actors = [
  () => ask(user(`diritems/id/1/${random(100)}?limit=${some(['1', '50', 'x', '1000'])}`)),
  () => ask(user(`tree/id/1/${some(['', '1', '2/3.txt', '.git', 'nope', '..%2f..', '%ff', 'a'.repeat(300)])}`)),
  () => ask(`/api/storage/v1/diritems/${some([token, token, 'cnp_wrong', '%00'])}/${random(100)}`),
  () => ask(user('tree/id/1?name=*7*'), { Accept: 'application/x-ndjson' }),
  () => ask(user('tree/id/1'), { 'Accept-Encoding': some(['br', 'gzip', '*;q=0', 'x'.repeat(2_000)]) }, 300_000),
  () =>
    ask(`/files/id/1/${random(100)}/99.txt`, {
      Range: some(['bytes=0-9', 'bytes=-1', 'bytes=9999-', 'x', 'bytes=0-0,2-3']),
    }),
  () => ask('/files/id/1/large.bin', {}, some([2 ** 20, Number.POSITIVE_INFINITY])),
  () => ask(`/files/token/${token}/${random(100)}?zip`, {}, some([10_000, Number.POSITIVE_INFINITY])),
  () => ask(`/api/triggers/v1/peek/${random(1_000_000)}`),
  () =>
    raw(
      some(['GET / HTTP/1.1\r\n\r\n', 'G', `GET /${'a'.repeat(30_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '\0\0\r\n\r\n']),
    ),
  () => raw('GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'),
  stall,
  async () => {
    const name = join(area, `${random(100)}/new.txt`)
    writeFileSync(name, 'new')
    await sleep(20)
    rmSync(name, { force: true })
  },
  async () => {
    await canopy('visibility', 'set', '1', `/${random(100)}`, some(['private', 'hidden', 'public']))
    await sleep(2_000)
  },
]

const childrenOf = (pid) =>
  readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').split(' ').filter(Boolean),
  )
const mebibytes = (pid) => {
  try {
    return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
const sample = async () => {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()
  const delay = Number(/^nodejs_eventloop_lag_p99_seconds (.*)$/m.exec(text)?.[1]) * 1_000
  const readers = childrenOf(server.pid).reduce((sum, pid) => sum + mebibytes(pid), 0)
  const descriptors = readdirSync(`/proc/${server.pid}/fd`).length
  return { memory: mebibytes(server.pid), readers, descriptors, delay }
}

while (
  !(await fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  ))
)
  await sleep(50)
const running = actors.map(async (act) => {
  while (performance.now() < until) {
    await act()
    await sleep(pause)
  }
})
const samples = []
while (performance.now() < until) {
  await sleep(Math.min(60_000, Number(values.minutes) * 10_000))
  const now = await sample()
  samples.push(now)
  const figures = Object.entries(now).map(([name, value]) => `${name} ${value.toFixed(name === 'descriptors' ? 0 : 1)}`)
  console.log(`${samples.length}: ${figures.join(', ')}; ${JSON.stringify(statuses)}`)
}
await Promise.all(running)
agent.destroy()
server.kill('SIGTERM')
const [code] = await ended
rmSync(data, { recursive: true })

const largest = (name, from, to) =>
  Math.max(...samples.slice(Math.floor(samples.length * from), Math.ceil(samples.length * to)).map((one) => one[name]))
const grown = ['memory', 'descriptors'].filter((name) => largest(name, 2 / 3, 1) > largest(name, 1 / 3, 2 / 3) * 1.1)
const unexpected = Object.keys(statuses).filter((status) => !(status in expected))
console.log(`exit ${code}, unexpected ${JSON.stringify(unexpected)}, grown ${JSON.stringify(grown)}`)
if (code !== 0 || unexpected.length > 0 || grown.length > 0) process.exitCode = 1
