import { fileURLToPath } from 'node:url'
import { ask } from './http.mjs'
import { byAutocannon } from './load/autocannon.mjs'
import { byWrk } from './load/wrk.mjs'
import { outputOf, progress } from './processes.mjs'
import { found } from './programs.mjs'

const manyConnections = 64
const openLoopScript = fileURLToPath(new URL('load/openLoop.mjs', import.meta.url))

const wrk = found('wrk')
const run = wrk === undefined ? byAutocannon : byWrk(wrk)

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

/** The latency of requests that arrive at a fixed rate. autocannon sends those of a second at its beginning. */
export const openLoop = async (asked) => {
  const result = JSON.parse(
    await outputOf(process.execPath, [openLoopScript, JSON.stringify({ connections: manyConnections, ...asked })]),
  )
  if (result.failed > 0) progress(`${result.failed} of ${result.asked} requests failed at ${asked.path}`)
  return result
}
