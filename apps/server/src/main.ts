import cluster from 'node:cluster'
import { get, type IncomingMessage } from 'node:http'
import { inspect } from 'node:util'
import { causeOf, Installation, visibly, workingDirectory } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Logger } from 'pino'
import { replacement, retire, runWorkers } from './cluster.js'
import { type Config, type Configured, mistyped, read } from './config.js'
import { type Log, openLog, redact, relayWorkers } from './observe/log.js'
import { openMetricsOfWorkers } from './observe/observe.js'
import { logWorkers, workersOf } from './workers.js'

// The one file that touches the process: its arguments, its environment, its signals and its end.

// Read once: the directory may be deleted under a server.
const cwd = workingDirectory(process.cwd)

const readConfig = (): E.Either<ReadonlyArray<string>, Configured> =>
  pipe(
    cwd,
    E.flatMap((directory) => read(directory, process.env)),
  )

/** Loaded once the working directory is known: a dependency of Koa reads it when it is loaded, and throws where it is gone. */
const service = () => import('./start.js')

/** `stop`: the service ends. `retire`: another process takes the place of this one. */
type Leave = 'stop' | 'retire'

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const

/** The first signal asks the service to finish its work; a second one ends the process at once. */
const onStopSignal = (log: Logger, stop: () => void): void => {
  let signals = 0
  const heard = (signal: NodeJS.Signals): void => {
    signals += 1
    log.info({ signal }, signals === 1 ? 'stopping' : 'stopping at once')
    if (signals > 1) process.exit(1)
    stop()
  }
  for (const signal of stopSignals) process.on(signal, heard)
}

/** A terminal that closes sends SIGHUP too: that is no request to reload. */
const onReloadSignal = (reload: () => void): void => {
  if (!process.stdin.isTTY) process.on('SIGHUP', reload)
}

const warnOfUnknown = ({ unknown }: Config, log: Logger): void => {
  if (unknown.length > 0) log.warn({ variables: unknown }, 'unknown variables: mistyped?')
}

/** Answers requests until it is asked to leave, then finishes the answers under way. `left` says why it did not start. */
const answer = async (
  config: Config,
  log: Logger,
  leave: Promise<Leave>,
  started: (url: string) => void,
  mayBeUnready = false,
): Promise<E.Either<string, number>> => {
  const { start } = await service()
  const running = await Promise.race([start(config, log, mayBeUnready)(), leave])
  if (running === 'stop' || running === 'retire') return E.right(0)
  if (E.isLeft(running)) return running
  const { url, drain, stop } = running.right
  started(url)
  const how = await leave
  if (how === 'stop') drain()
  const { drainMs, stopMs } = config
  // Where other workers answer, load balancers have nothing to see, and no one waits for this process to exit.
  const bounds = how === 'stop' ? { drainMs, quietMs: 250, stopMs } : { drainMs: 0, quietMs: 5_000, stopMs }
  const cut = await stop(bounds)
  if (cut > 0) log.warn({ cut, stopMs }, 'stopped: unfinished answers were cut')
  else log.info('stopped')
  return E.right(0)
}

/** The only process of the service. */
const serveInOneProcess = ({ config }: Configured, { log }: Log): Promise<E.Either<string, number>> => {
  warnOfUnknown(config, log)
  const leave = new Promise<Leave>((resolve) => onStopSignal(log, () => resolve('stop')))
  onReloadSignal(() => log.warn('nothing is reloaded with one process: restart it, or set CANOPY_WORKERS'))
  return answer(config, log, leave, (url) => log.info({ url }, 'listening'))
}

/** One of several processes. A signal may come from the terminal or the service manager, to all at once. */
const serveAsWorker = async ({ config }: Configured, { log }: Log): Promise<E.Either<string, number>> => {
  const leave = new Promise<Leave>((resolve) => {
    process.on('message', (message) => {
      if (message === retire) resolve('retire')
    })
    for (const signal of stopSignals) process.on(signal, () => resolve('stop'))
    process.on('SIGHUP', () => undefined)
  })
  const ended = await answer(config, log, leave, () => log.info('ready'), process.env[replacement] !== undefined)
  if (E.isRight(ended)) return ended
  // The primary reports it, once for all workers.
  await new Promise((sent) => process.send?.(ended.left, undefined, undefined, sent))
  return E.right(1)
}

/** The process that starts the others and answers no request. */
const serveWithWorkers = async (configured: Configured, output: Log): Promise<E.Either<string, number>> => {
  const { log } = output
  warnOfUnknown(configured.config, log)
  const observed = await openMetricsOfWorkers(configured.config, log)()
  if (E.isLeft(observed)) return observed
  const lastLines = relayWorkers(cluster, output)
  const { reload, stop, ended } = runWorkers(configured, readConfig, log)
  onStopSignal(log, stop)
  onReloadSignal(reload)
  const code = await ended
  await lastLines()
  return code
}

/** An exit code, or why nothing was done. */
type Done = E.Either<ReadonlyArray<string>, number>

const serve = async (configured: Configured): Promise<Done> => {
  const self = cluster.worker
  const base = self === undefined ? null : { worker: self.id, pid: process.pid }
  const output = openLog({ level: configured.config.logLevel, base })
  if (self === undefined) logWorkers(configured.config, output.log)
  const role =
    self !== undefined ? serveAsWorker : workersOf(configured.config) === 1 ? serveInOneProcess : serveWithWorkers
  const served = await role(configured, output)
  await output.written()
  return pipe(served, E.mapLeft(RA.of))
}

const listed = (problems: ReadonlyArray<string>): string =>
  problems.map((problem) => `  ${visibly(problem)}\n`).join('')

const checkOnly = async ({ config }: Configured): Promise<Done> => {
  const unknown = config.unknown.map(mistyped)
  const { check } = await service()
  const checked = await check(config)()
  if (E.isLeft(checked)) return E.left([...checked.left, ...unknown])
  process.stdout.write(`canopy: the server can start\n${listed(unknown)}`)
  return E.right(0)
}

/** A process that hangs still takes connections, and answers none. */
const healthMs = 3_000

/** For the health check of a container: asks where the configuration says that the server listens. */
const askHealth = async ({ config: { installation } }: Configured): Promise<Done> => {
  const url = `${Installation.baseUrl(installation)}/healthz`
  const { host, port, basePath } = installation
  if (port === 0) return E.left(['CANOPY_PORT is 0, a free port: set the one that the log of the server names'])
  // Neither a URL nor the header `Host` can hold an address with a zone, such as fe80::1%eth0.
  const at = Installation.isSocket(host) ? { socketPath: host } : { host: Installation.reachableHost(host), port }
  const request = { ...at, path: `${basePath}/healthz`, headers: { Host: 'localhost' } }
  try {
    const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = get({ ...request, timeout: healthMs }, resolve).on('error', reject)
      asked.on('timeout', () => asked.destroy(new Error(`no answer within ${healthMs} ms`)))
    })
    return statusCode === 200 ? E.right(0) : E.left([`${url} answers ${statusCode}`])
  } catch (thrown) {
    return E.left([`${url} does not answer: ${causeOf(thrown)}`])
  }
}

const usage = `usage: node main.js            serves
       node main.js --check    says whether it could: the configuration, the addresses, the registry, the storage
       node main.js --health   asks /healthz of a server of the same configuration

What to serve and where is said by variables, such as CANOPY_DATA and CANOPY_PORT: docs/configuration.md
`

/** What each command line runs, and how its error report begins. */
const orders = new Map([
  ['', { execute: serve, failed: 'the server did not start' }],
  ['--check', { execute: checkOnly, failed: 'the server could not start' }],
  ['--health', { execute: askHealth, failed: 'the server is not healthy' }],
])

const run = async (): Promise<number> => {
  const order = orders.get(process.argv.slice(2).join(' '))
  if (order === undefined) {
    process.stderr.write(usage)
    return 2
  }
  const configured = readConfig()
  const done = E.isLeft(configured) ? configured : await order.execute(configured.right)
  if (E.isRight(done)) return done.right
  process.stderr.write(`canopy: ${order.failed}\n${listed(done.left)}`)
  return 1
}

// The version here runs on this Node; what the SDK says of its next ones is for those who update it.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'

process.on('uncaughtException', (thrown) => {
  // What was thrown may hold a secret, which Node would show.
  process.stderr.write(`canopy: a defect\n${redact(inspect(thrown))}\n`)
  process.exit(1)
})
// A closed standard error ends nothing.
process.stderr.on('error', () => undefined)
// Other servers reopen their logs or change their binary on these. Node would open its debugger to the whole machine, or end.
for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => undefined)
process.exit(await run())
