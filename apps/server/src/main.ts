import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { withConfigFile } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import { check } from './check.js'
import { serve } from './cluster/serve.js'
import { supervise } from './cluster/supervise.js'
import { type FailedLookup, isFailedLookup, isLeave, type Leave, listening } from './cluster/words.js'
import { noOtherProcesses, type OtherProcesses } from './defence/failedLookups.js'
import { observePrimary } from './observe/observe.js'
import { openLog } from './openLog.js'
import { fromVariables, type ServerConfig } from './ServerConfig.js'
import { ignoreOtherSignals, onReloadSignal, onStopSignal, stopSignals } from './signals.js'

// The one file that reads the environment and, but for a second signal, ends the process.

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
  openLog({ level: logLevel, base })

const warnOf = ({ unknown }: ServerConfig, log: Logger): void => {
  if (unknown.length > 0) log.warn({ variables: unknown }, 'nobody reads these variables: mistyped?')
}

const workersOf = ({ workers }: ServerConfig): number => (workers === 'auto' ? availableParallelism() : workers)

const exitCodeOf = E.match(
  (problem: string) => fail([problem]),
  () => 0,
)

const alone = async (config: ServerConfig): Promise<number> => {
  const log = logOf(config, null)
  warnOf(config, log)
  const leave = new Promise<Leave>((resolve) => onStopSignal(log, () => resolve('stop')))
  onReloadSignal(() => log.warn('nothing is reloaded with one process: restart it, or set CANOPY_WORKERS'))
  return exitCodeOf(await serve(config, log, { leave, listening: () => undefined, others: noOtherProcesses }))
}

const startMs = 60_000

const primary = async (config: ServerConfig): Promise<number> => {
  const log = logOf(config, null)
  warnOf(config, log)
  const observed = await observePrimary(config.observe, log)()
  if (E.isLeft(observed)) return fail([observed.left])
  let { drainMs, stopMs } = config
  const leaveMs = () => drainMs + stopMs + 5_000
  const { reload, stop, ended } = supervise(workersOf(config), { cluster, log, leaveMs, startMs })
  onStopSignal(log, stop)
  onReloadSignal(() =>
    pipe(
      readConfig(),
      E.match(
        (problems) => log.error({ problems }, 'not reloaded: the configuration is wrong'),
        (now) => {
          log.info('reloading')
          warnOf(now, log)
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
    for (const signal of stopSignals) process.on(signal, () => resolve('stop'))
    process.on('SIGHUP', () => undefined)
  })
  const orders = { leave, listening: () => tellPrimary(listening), others: otherWorkers }
  const code = exitCodeOf(await serve(config, log, orders))
  await lastWord(self)
  return code
}

const serveAs = (config: ServerConfig): Promise<number> =>
  cluster.worker !== undefined
    ? worker(config, cluster.worker)
    : workersOf(config) === 1
      ? alone(config)
      : primary(config)

const checkOnly = (config: ServerConfig): Promise<number> =>
  pipe(
    check(config),
    TE.match(
      (problem) => fail([problem]),
      () => {
        const unread = config.unknown.map((name) => `  nobody reads the variable ${name}: mistyped?\n`)
        process.stdout.write(`canopy: the server can start\n${unread.join('')}`)
        return 0
      },
    ),
  )()

const usage = `usage: node main.js           serves
       node main.js --check   tells whether it could: the configuration, the registry, the storage

What to serve and where is said by variables, such as CANOPY_DATA and CANOPY_PORT: docs/operations.md
`

const misused = (): Promise<number> => {
  process.stderr.write(usage)
  return Promise.resolve(2)
}

const orderIn = ([order, ...more]: ReadonlyArray<string>): ((config: ServerConfig) => Promise<number>) | undefined =>
  order === undefined ? serveAs : order === '--check' && more.length === 0 ? checkOnly : undefined

const run = (order: (config: ServerConfig) => Promise<number>): Promise<number> =>
  pipe(
    readConfig(),
    E.match(async (problems) => fail(problems), order),
  )

ignoreOtherSignals()
const order = orderIn(process.argv.slice(2))
process.exit(await (order === undefined ? misused() : run(order)))
