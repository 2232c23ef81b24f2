import { fileURLToPath } from 'node:url'
import { programAt } from '@canopy/test-support'
import { ask } from './http.mjs'
import { outputOf, progress } from './processes.mjs'

const manyConnections = 64
const scriptAt = (path) => fileURLToPath(new URL(path, import.meta.url))

/** Each connection of wrk asks again as soon as it is answered. */
const run = async ({ port, path, headers = {}, seconds, connections }) => {
  const wrk = programAt('wrk', process.env)
  if (wrk === undefined) throw new Error('wrk is not installed: apt-get install wrk')
  const out = await outputOf(wrk, [
    '--threads=1',
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    '--timeout=30s',
    `--script=${scriptAt('load/report.lua')}`,
    ...Object.entries(headers).map(([name, value]) => `--header=${name}: ${value}`),
    `http://127.0.0.1:${port}${path}`,
  ])
  const { requests, bytes, microseconds, refused, broken } = JSON.parse(out.trimEnd().split('\n').at(-1))
  return { answers: requests, seconds: microseconds / 1e6, bytesEach: bytes / requests, refused, broken }
}

/**
 * A server that needs so long for one answer that 64 of them would not come in the time is asked for fewer at once, and
 * for longer: that costs it nothing, and otherwise its figure would be 0.
 */
const fitting = async ({ port, path, headers, seconds, connections }) => {
  const { ms } = await ask(port, path, { headers })
  return {
    seconds: Math.max(seconds, Math.min(10, Math.ceil((20 * ms) / 1000))),
    connections: Math.max(1, Math.min(connections, Math.floor((seconds * 1000) / (3 * ms)))),
  }
}

/** The first load on a server finds code that has not been compiled yet. */
const warmUpSeconds = { first: 4, later: 1 }

/**
 * Requests per second of a server, as many as 64 connections get, or another number of them; after a warm-up that is not
 * counted. An answer that is shorter than it must be, or a connection that breaks, is no figure. Refusals do not count,
 * unless it is asked for what must be refused: then nothing else does.
 */
export const closedLoop = () => {
  const warm = new Set()
  return async ({
    port,
    path,
    headers,
    seconds,
    bytesAtLeast = 0,
    connections = manyConnections,
    isRefused = false,
  }) => {
    const target = { port, path, headers }
    await run({ ...target, seconds: warm.has(port) ? warmUpSeconds.later : warmUpSeconds.first, connections })
    warm.add(port)
    const fit = await fitting({ ...target, seconds, connections })
    const { answers, seconds: took, bytesEach, refused, broken } = await run({ ...target, ...fit })
    const [counted, others] = isRefused ? [refused, answers - refused] : [answers - refused, refused]
    const perSecond = counted / took
    if (!(perSecond > 0)) throw new Error(`no answer in ${fit.seconds} s at ${path}`)
    if (broken > 0) throw new Error(`${broken} connections broke at ${path}`)
    if (bytesEach < bytesAtLeast) throw new Error(`answers of ${bytesEach} bytes at ${path}: ${bytesAtLeast} expected`)
    if (others > 0) progress(`${others} answers ${isRefused ? 'given' : 'refused'} at ${path}, and not counted`)
    return perSecond
  }
}

/** The latency of requests that arrive at a fixed rate, in a process of their own. */
export const openLoop = async (asked) => {
  const result = JSON.parse(await outputOf(process.execPath, [scriptAt('load/openLoop.mjs'), JSON.stringify(asked)]))
  if (result.failed > 0) progress(`${result.failed} of ${result.asked} requests failed at ${asked.path}`)
  return result
}
