import cluster from 'node:cluster'
import * as E from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import { retire, runWorkers } from './cluster.js'
import type { StopBounds } from './connection/gracefulStop.js'
import type { Log } from './log/openLog.js'
import { relayWorkers } from './log/relayWorkers.js'
import { warnOfUnknown } from './log/warnOfUnknown.js'
import { observePrimary } from './observe/observe.js'
import type { Configured, ServerConfig } from './ServerConfig.js'
import { onReloadSignal, onStopSignal, stopSignals } from './signals.js'
import { start } from './start.js'

/** `stop`: the service ends. `retire`: another process takes the place of this one. */
type Leave = 'stop' | 'retire'

const boundsOf = (leave: Leave, { drainMs, stopMs }: ServerConfig): StopBounds =>
  leave === 'stop'
    ? { drainMs, quietMs: 250, stopMs }
    : // Other workers answer: load balancers have nothing to notice, and no one waits for this process to exit.
      { drainMs: 0, quietMs: 5_000, stopMs }

/** Answers requests until it is told to leave, then finishes those in flight. `left` says why it did not start. */
const answer = async (
  config: ServerConfig,
  log: Logger,
  leave: Promise<Leave>,
  started: (url: string) => void,
): Promise<E.Either<string, number>> => {
  const running = await Promise.race([start(config, log)(), leave])
  if (running === 'stop' || running === 'retire') return E.right(0)
  if (E.isLeft(running)) return running
  started(running.right.url)
  const how = await leave
  if (how === 'stop') running.right.notReady()
  const cut = await running.right.stop(boundsOf(how, config))
  if (cut > 0) log.warn({ cut, stopMs: config.stopMs }, 'stopped: connections with unfinished requests were cut')
  else log.info('stopped')
  return E.right(0)
}

/** The only process of the service. */
export const serveAlone = ({ config }: Configured, log: Logger): Promise<E.Either<string, number>> => {
  warnOfUnknown(config, log)
  const leave = new Promise<Leave>((resolve) => onStopSignal(log, () => resolve('stop')))
  onReloadSignal(() => log.warn('nothing is reloaded with one process: restart it, or set CANOPY_WORKERS'))
  return answer(config, log, leave, (url) => log.info({ url }, 'listening'))
}

/** One of several processes. A signal may come from the terminal or the service manager, to all at once. */
export const serveAsWorker = async ({ config }: Configured, log: Logger): Promise<E.Either<string, number>> => {
  const leave = new Promise<Leave>((resolve) => {
    process.on('message', (message) => {
      if (message === retire) resolve('retire')
    })
    for (const signal of stopSignals) process.on(signal, () => resolve('stop'))
    process.on('SIGHUP', () => undefined)
  })
  const ended = await answer(config, log, leave, () => log.info('ready'))
  if (E.isRight(ended)) return ended
  // The primary reports it, once for all workers.
  await new Promise((sent) => process.send?.(ended.left, undefined, undefined, sent))
  return E.right(1)
}

/** The process that starts the others and answers no request. */
export const serveWithWorkers = async (
  configured: Configured,
  readConfig: () => E.Either<ReadonlyArray<string>, Configured>,
  output: Log,
): Promise<E.Either<string, number>> => {
  const { config } = configured
  const { log } = output
  warnOfUnknown(config, log)
  const observed = await observePrimary(config.observe, log)()
  if (E.isLeft(observed)) return observed
  const lastWords = relayWorkers(cluster, output)
  const { reload, stop, ended } = runWorkers(configured, readConfig, log)
  onStopSignal(log, stop)
  onReloadSignal(reload)
  const code = await ended
  await lastWords()
  return code
}
