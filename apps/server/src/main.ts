import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { withConfigFile } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import pino, { type Logger } from 'pino'
import { serve } from './cluster/serve.js'
import { supervise } from './cluster/supervise.js'
import { type FailedLookup, isFailedLookup, isLeave, type Leave, listening } from './cluster/words.js'
import { noOtherProcesses, type OtherProcesses } from './defence/failedLookups.js'
import { observePrimary } from './observe/observe.js'
import { fromVariables, type ServerConfig } from './ServerConfig.js'

// The one file that reads the environment, hears signals and ends the process.

const readConfig = (): E.Either<ReadonlyArray<string>, ServerConfig> =>
  pipe(
    withConfigFile(process.cwd(), process.env),
    E.flatMap((variables) => fromVariables(process.cwd(), variables)),
  )

const fail = (problems: ReadonlyArray<string>): number => {
  process.stderr.write(`canopy: the server did not start\n${problems.map((problem) => `  ${problem}\n`).join('')}`)
  return 1
}

const logOf = ({ logLevel }: ServerConfig, base: Readonly<Record<string, number>> | null): Logger =>
  pino({ level: logLevel, base, timestamp: pino.stdTimeFunctions.isoTime })

const workersOf = ({ workers }: ServerConfig): number => (workers === 'auto' ? availableParallelism() : workers)

/** The first signal is an order; whoever sends a second one has no more patience. */
const onStopSignal = (log: Logger, stop: () => void): void => {
  let signals = 0
  const heard = (signal: NodeJS.Signals): void => {
    signals += 1
    log.info({ signal }, signals === 1 ? 'stopping' : 'stopping at once')
    if (signals > 1) process.exit(1)
    stop()
  }
  process.on('SIGTERM', heard)
  process.on('SIGINT', heard)
}

/** A terminal that goes away sends SIGHUP too, and does not mean a reload. */
const onReloadSignal = (reload: () => void): void => {
  if (!process.stdin.isTTY) process.on('SIGHUP', reload)
}

const exitCodeOf = E.match(
  (problem: string) => fail([problem]),
  () => 0,
)

const alone = async (config: ServerConfig): Promise<number> => {
  const log = logOf(config, null)
  const leave = new Promise<Leave>((resolve) => onStopSignal(log, () => resolve('stop')))
  onReloadSignal(() => log.warn('nothing is reloaded with one process: restart it, or set CANOPY_WORKERS'))
  return exitCodeOf(await serve(config, log, { leave, listening: () => undefined, others: noOtherProcesses }))
}

const primary = async (config: ServerConfig): Promise<number> => {
  const log = logOf(config, null)
  const observed = await observePrimary(config.observe, log)()
  if (E.isLeft(observed)) return fail([observed.left])
  let { drainMs, stopMs } = config
  const leaveMs = () => drainMs + stopMs + 5_000
  const { reload, stop, ended } = supervise(workersOf(config), { cluster, log, leaveMs })
  onStopSignal(log, stop)
  onReloadSignal(() =>
    pipe(
      readConfig(),
      E.match(
        (problems) => log.error({ problems }, 'not reloaded: the configuration is wrong'),
        (now) => {
          log.info('reloading')
          drainMs = now.drainMs
          stopMs = now.stopMs
          reload(workersOf(now))
        },
      ),
    ),
  )
  const code = await ended
  if (code === 0) log.info('every worker has stopped')
  return code
}

const tellPrimary = (word: typeof listening | FailedLookup): void =>
  // What cannot be sent any more goes to a primary that is gone.
  void process.send?.(word, undefined, undefined, () => undefined)

const otherWorkers: OtherProcesses = {
  tell: (failedLookup) => tellPrimary({ failedLookup }),
  hear: (heard) =>
    void process.on('message', (word) => {
      if (isFailedLookup(word)) heard(word.failedLookup)
    }),
}

/** After the primary's answer no connection is on its way to this worker any more. */
const lastWord = async (worker: Worker): Promise<void> => {
  worker.disconnect()
  await Promise.race([once(worker, 'disconnect'), sleep(1_000)])
}

/** The primary gives the orders. A signal may come from the terminal or the service manager, to all at once. */
const worker = async (config: ServerConfig, self: Worker): Promise<number> => {
  const log = logOf(config, { worker: self.id, pid: process.pid })
  const leave = new Promise<Leave>((resolve) => {
    process.on('message', (word) => {
      if (isLeave(word)) resolve(word)
    })
    process.on('SIGTERM', () => resolve('stop'))
    process.on('SIGINT', () => resolve('stop'))
    process.on('SIGHUP', () => undefined)
  })
  const orders = { leave, listening: () => tellPrimary(listening), others: otherWorkers }
  const code = exitCodeOf(await serve(config, log, orders))
  await lastWord(self)
  return code
}

const run = (config: ServerConfig): Promise<number> =>
  cluster.worker !== undefined
    ? worker(config, cluster.worker)
    : workersOf(config) === 1
      ? alone(config)
      : primary(config)

process.exit(
  await pipe(
    readConfig(),
    E.match(async (problems) => fail(problems), run),
  ),
)
