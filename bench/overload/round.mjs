import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { quantile } from '../figures.mjs'
import { closedLoop, openLoop } from '../load/loads.mjs'
import { startProcess } from '../processes.mjs'

const ms = 8000
/** A percentile of few requests is a matter of chance. */
const moderateMs = 20_000
const slowClients = fileURLToPath(new URL('slowClients.mjs', import.meta.url))

const of = (answers, status) => answers.filter((answer) => answer.status === status).map(({ ms }) => ms)

const inASecond = (answers) => (answers.length / ms) * 1000

/** Often enough for a percentile, and no work to speak of. */
const idlePerSecond = 200

/** A load, and what another server, which does next to nothing, answers beside it: beside every load, also the peak's. */
const besideIdle = async ({ askIdle }, forMs, load) => {
  const [loaded, idle] = await Promise.all([load, openLoop(askIdle, idlePerSecond, forMs)])
  return { ...loaded, idle: of(idle.answers, 200) }
}

const peakOf = async (servers) => {
  const { answers, inTime } = await besideIdle(servers, ms, closedLoop(servers.ask, 16, ms))
  return { perSecond: inASecond(of(inTime, 200)), p50: quantile(of(answers, 200), 0.5) }
}

/** How long until an answer comes as fast as before. */
const recovery = async ({ ask }, normalMs) => {
  const over = performance.now()
  while (performance.now() - over < 5000) {
    const { status, ms } = await ask()
    if (status === 200 && ms <= normalMs) return performance.now() - over
  }
  return Number.POSITIVE_INFINITY
}

const overload = async (servers, peak, times) => {
  const load = openLoop(servers.ask, peak.perSecond * times, ms)
  const { answers, inTime, idle } = await besideIdle(servers, ms, load)
  const recovered = await recovery(servers, peak.p50)
  return {
    goodput: inASecond(of(inTime, 200)) / peak.perSecond,
    refusals: of(answers, 503),
    idle,
    unanswered: of(answers, 0).length,
    recovered,
  }
}

const moderate = async (servers, peak) => {
  const load = openLoop(servers.ask, peak.perSecond / 4, moderateMs)
  const { answers, idle } = await besideIdle(servers, moderateMs, load)
  return { p99: quantile(of(answers, 200), 0.99), idleP99: quantile(idle, 0.99) }
}

/**
 * In a process of their own, and only when no other wants the processor, or their work would be measured as ours: who sends
 * slowly does it on other machines. What they send is the same.
 */
const besideSlowOnes = async (port, count, measure) => {
  const clients = ['--idle', '0', process.execPath, slowClients, String(port), String(count)]
  const { child, stop } = startProcess('chrt', clients, { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  const measured = await measure()
  await stop()
  return measured
}

/**
 * The peak, and everything else against it. `ask` asks the server on `port`, `askIdle` another one that does next to
 * nothing: what that one takes is what the machine and the clients take.
 */
export const roundOf = async (servers, slow) => {
  const peak = await peakOf(servers)
  const twofold = await overload(servers, peak, 2)
  const tenfold = await overload(servers, peak, 10)
  const alone = await moderate(servers, peak)
  const besideSlow = await besideSlowOnes(servers.port, slow, () => moderate(servers, peak))
  return { peak, twofold, tenfold, alone, besideSlow }
}
