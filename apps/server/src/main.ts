import cluster from 'node:cluster'
import { get, type IncomingMessage } from 'node:http'
import { inspect } from 'node:util'
import { Installation, reasonOf, visibly, workingDirectory } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Logger } from 'pino'
import { replacement, retire, runWorkers } from './cluster.js'
import { type Config, type Configured, mistyped, read } from './config.js'
import { type Log, openLog, redact, relayWorkers } from './observe/log.js'
import { openMetricsOfWorkers } from './observe/openObservers.js'
import { logWorkers, workersOf } from './workers.js'

// Only this file touches the process: arguments, environment, standard streams, signals and exit code.

// Read once: the directory may be deleted while the server runs.
const cwd = workingDirectory(process.cwd)

const readConfig = (): E.Either<ReadonlyArray<string>, Configured> =>
  pipe(
    cwd,
    E.flatMap((directory) => read(directory, process.env)),
  )

/**
 * Loaded after the check of the working directory, because a dependency of Koa reads it at load time, and throws if it was
 * deleted.
 */
const loadService = () => import('./start.js')

/** `stop`: the service ends. `retire`: another process replaces this one. */
type Ending = 'stop' | 'retire'

const stopSignals = ['SIGTERM', 'SIGINT', 'SIGQUIT'] as const

/** Stops on the first signal, so that the service finishes its work. A second one ends the process at once. */
const onStopSignal = (log: Logger, stop: () => void): void => {
  let signals = 0
  const onSignal = (signal: NodeJS.Signals): void => {
    signals += 1
    log.info({ signal }, signals === 1 ? 'stopping' : 'stopping immediately')
    if (signals > 1) process.exit(1)
    stop()
  }
  for (const signal of stopSignals) process.on(signal, onSignal)
}

/** Reloads on SIGHUP, except on a terminal, where it means that the terminal was closed. */
const onReloadSignal = (reload: () => void): void => {
  if (!process.stdin.isTTY) process.on('SIGHUP', reload)
}

const warnAboutUnknown = ({ unknown }: Config, log: Logger): void => {
  if (unknown.length > 0) log.warn({ variables: unknown }, 'unknown variables (are they misspelled?)')
}

interface RunOptions {
  readonly ending: Promise<Ending>
  readonly onListening: (url: string) => void
  readonly mayBeUnready?: boolean
}

// The limits of a stop, in milliseconds:
//
//     CANOPY_DRAIN_MS   `/readyz` is 503; new connections are accepted, and responses have `Connection: close` (connections.ts)
//     CANOPY_STOP_MS    a connection closes after its responses and `quietMs`; at the end begun responses are reset, the others closed
//     4 x 1,100         tracing, metrics, registry and storage close (start.ts)
//     1,000             the log is written (observe/log.ts)
//
// A worker that takes more than 6,000 for the last two is killed (cluster.ts). Then the primary process takes at most 1,000 for the
// last lines of workers, and 1,000 for its own log.

/** A connection without a response in flight closes after this time without bytes. Only a stop of the whole service is urgent. */
const quietMs = { stop: 250, retire: 5_000 } as const

/** Serves until `ending` resolves, then finishes the responses in flight. `left` says why the service did not start. */
const runService = async (
  config: Config,
  log: Logger,
  { ending, onListening, mayBeUnready = false }: RunOptions,
): Promise<E.Either<string, number>> => {
  const { start } = await loadService()
  const running = await Promise.race([start(config, log, mayBeUnready)(), ending])
  if (running === 'stop' || running === 'retire') return E.right(0)
  if (E.isLeft(running)) return running
  const { url, announceStop, stop } = running.right
  onListening(url)
  const end = await ending
  if (end === 'stop') announceStop()
  const { drainMs, stopMs } = config
  // After `retire`, other workers accept the new connections.
  const cut = await stop({ drainMs: end === 'stop' ? drainMs : 0, quietMs: quietMs[end], stopMs })
  if (cut > 0) log.warn({ cut, stopMs }, 'stopped; unfinished responses were aborted')
  else log.info('stopped')
  return E.right(0)
}

/** Serves as the only process of the service. */
const serveInOneProcess = ({ config }: Configured, { log }: Log): Promise<E.Either<string, number>> => {
  warnAboutUnknown(config, log)
  const ending = new Promise<Ending>((resolve) => onStopSignal(log, () => resolve('stop')))
  onReloadSignal(() => log.warn('reloading requires more than one worker: restart the server, or raise CANOPY_WORKERS'))
  const onListening = (url: string): void => {
    log.info({ url }, 'listening')
    // `canopy serve` waits for it.
    process.send?.({ url })
  }
  return runService(config, log, { ending, onListening })
}

/** Serves as one of several processes. A terminal or a service manager sends its signals to all of them. */
const serveAsWorker = async ({ config }: Configured, { log }: Log): Promise<E.Either<string, number>> => {
  const ending = new Promise<Ending>((resolve) => {
    process.on('message', (message) => {
      if (message === retire) resolve('retire')
    })
    for (const signal of stopSignals) process.on(signal, () => resolve('stop'))
    process.on('SIGHUP', () => undefined)
  })
  const mayBeUnready = process.env[replacement] !== undefined
  const ended = await runService(config, log, { ending, onListening: () => log.info('ready'), mayBeUnready })
  if (E.isRight(ended)) return ended
  // The primary reports it, once for all workers.
  await new Promise((sent) => process.send?.(ended.left, undefined, undefined, sent))
  return E.right(1)
}

/** Starts the processes that serve, and serves no request itself. */
const serveWithWorkers = async (configured: Configured, output: Log): Promise<E.Either<string, number>> => {
  const { log } = output
  warnAboutUnknown(configured.config, log)
  const observed = await openMetricsOfWorkers(configured.config, log)()
  if (E.isLeft(observed)) return observed
  const lastLines = relayWorkers(cluster, output, (text) => process.stderr.write(text))
  const workers = runWorkers(configured, readConfig, log)
  onStopSignal(log, () => workers.stop())
  onReloadSignal(() => workers.reload())
  const code = await workers.ended
  await lastLines()
  return code
}

/** An exit code, or the problems that prevented the run. */
type Done = E.Either<ReadonlyArray<string>, number>

const serve = async (configured: Configured): Promise<Done> => {
  const self = cluster.worker
  const base = self === undefined ? null : { worker: self.id, pid: process.pid }
  const output = openLog({ level: configured.config.logLevel, base }, process.stdout.fd)
  if (self === undefined) logWorkers(configured.config, output.log)
  const role =
    self !== undefined ? serveAsWorker : workersOf(configured.config) === 1 ? serveInOneProcess : serveWithWorkers
  const served = await role(configured, output)
  await output.written()
  return pipe(served, E.mapLeft(RA.of))
}

const listed = (problems: ReadonlyArray<string>): string =>
  problems.map((problem) => `  ${visibly(problem)}\n`).join('')

const checkStart = async ({ config }: Configured): Promise<Done> => {
  const unknown = config.unknown.map(mistyped)
  const { check } = await loadService()
  const checked = await check(config)()
  if (E.isLeft(checked)) return E.left([...checked.left, ...unknown])
  process.stdout.write(`canopy: the server can start\n${listed(unknown)}`)
  return E.right(0)
}

/** Limit on a health check, because a process that hangs accepts connections and never responds. */
const healthMs = 3_000

/** For the health check of a container: asks the server at the address in the configuration. */
const checkHealth = async ({ config: { installation } }: Configured): Promise<Done> => {
  const url = `${Installation.baseUrl(installation)}/healthz`
  const { host, port, basePath } = installation
  if (port === 0) return E.left(['CANOPY_PORT is 0: set it to the port shown in the server log'])
  // Neither a URL nor the header `Host` can contain an address with a zone, such as fe80::1%eth0.
  const at = Installation.isSocket(host) ? { socketPath: host } : { host: Installation.reachableHost(host), port }
  const request = { ...at, path: `${basePath}/healthz`, headers: { Host: 'localhost' } }
  try {
    const { statusCode } = await new Promise<IncomingMessage>((resolve, reject) => {
      const asked = get({ ...request, timeout: healthMs }, resolve).on('error', reject)
      asked.on('timeout', () => asked.destroy(new Error(`no response within ${healthMs} ms`)))
    })
    return statusCode === 200 ? E.right(0) : E.left([`${url} returned ${statusCode}`])
  } catch (thrown) {
    return E.left([`${url} is not responding: ${reasonOf(thrown)}`])
  }
}

const usage = `usage: node main.js            start the server
       node main.js --check    check the configuration, the addresses, the registry and the storage
       node main.js --health   query /healthz on the server that this configuration describes

Configured by environment variables such as CANOPY_DATA and CANOPY_PORT; see docs/configuration.md
`

/** Keyed by the arguments. `failure` begins the report of problems. */
const commands = new Map([
  ['', { execute: serve, failure: 'the server did not start' }],
  ['--check', { execute: checkStart, failure: 'the server cannot start' }],
  ['--health', { execute: checkHealth, failure: 'the server is not healthy' }],
])

const run = async (): Promise<number> => {
  const command = commands.get(process.argv.slice(2).join(' '))
  if (command === undefined) {
    process.stderr.write(usage)
    return 2
  }
  const configured = readConfig()
  const done = E.isLeft(configured) ? configured : await command.execute(configured.right)
  if (E.isRight(done)) return done.right
  process.stderr.write(`canopy: ${command.failure}\n${listed(done.left)}`)
  return 1
}

// The SDK warns about versions of Node that its next releases will not support. That concerns its updates, not the operator.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'

process.on('uncaughtException', (thrown) => {
  // Node would show the error, which may contain a secret.
  process.stderr.write(`canopy: internal error\n${redact(inspect(thrown))}\n`)
  process.exit(1)
})
// Without a listener, a closed standard error would end the process.
process.stderr.on('error', () => undefined)
// Other servers reopen their logs or change their binary on these. Node would open its debugger to the whole machine, or end.
for (const signal of ['SIGUSR1', 'SIGUSR2']) process.on(signal, () => undefined)
process.exit(await run())
