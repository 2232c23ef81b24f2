import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { Installation, reasonOf } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import type { Config, Configured } from './config.js'
import { cannotListen, freeSocket } from './http/listen.js'
import { logWorkers, workersOf } from './workers.js'

/** Sent to a worker that another one replaces. A signal would mean that the whole service stops. */
export const retire = 'retire'

/** Set for a worker that starts even while storage or registry do not answer: all but the first and those of a reload. */
export const replacement = 'REPLACES_WORKER'

type ReadConfig = () => E.Either<ReadonlyArray<string>, Configured>

/**
 * Runs the service in several processes. Each worker accepts connections by itself. This process starts them, replaces
 * crashed ones, and serves no request itself. A worker that cannot start sends the reason as a string.
 */
export const runWorkers = (first: Configured, readConfig: ReadConfig, log: Logger): Workers => {
  // Each worker accepts for itself. The first set-up makes this final.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // The working directory may be deleted during the run. `relayWorkers` forwards the output of workers.
  cluster.setupPrimary({ args: [], cwd: '/', stdio: ['inherit', 'pipe', 'pipe', 'ipc'] })
  return new Workers(first, readConfig, log)
}

// All in milliseconds.
/** A worker that does not listen by then is killed. */
const startMs = 60_000
/** Time for a worker to exit, beyond its drain and its stop. It needs at most 5.4 s; main.ts lists all limits of a stop. */
const exitMs = 6_000
/** Crashes further apart than this are unrelated. */
const calmMs = 120_000
/** Returns the pause after this number of crashes. There is none after the first, and each further one doubles it. */
const pauseMs = (crashes: number): number => (crashes <= 1 ? 0 : Math.min(250 * 2 ** (crashes - 2), 30_000))

/** The service ends after this number of crashes in a row, plus one for each further worker, unless a worker listens. */
const crashLoop = 8

interface Member {
  readonly worker: Worker
  /** The configuration at its start. */
  readonly config: Config
  state: 'starting' | 'listening' | 'leaving'
}

class Workers {
  /** The exit code, when every worker has exited. `left` says why the service did not start. */
  readonly ended: Promise<E.Either<string, number>>
  #end: (result: E.Either<string, number>) => void = () => undefined
  readonly #readConfig: ReadConfig
  readonly #log: Logger
  #configured: Configured
  /** Oldest first. */
  readonly #members = new Set<Member>()
  /** The start or the latest reload. They run one after the other. */
  #change: Promise<void>
  #url = ''
  #crashes = 0
  #lastCrash = 0
  #reported = ''
  #isStopping = false
  #exitCode = 0

  constructor(first: Configured, readConfig: ReadConfig, log: Logger) {
    this.#configured = first
    this.#readConfig = readConfig
    this.#log = log
    this.ended = new Promise((resolve) => {
      this.#end = resolve
    })
    this.#change = this.#startAll()
  }

  /** Replaces the workers one by one, with the configuration as it is now. */
  reload(): void {
    this.#change = this.#change.then(() => this.#replaceAll())
  }

  stop(): void {
    this.#isStopping = true
    if (this.#members.size === 0) this.#end(E.right(this.#exitCode))
    for (const member of this.#members) this.#leave(member).process.kill('SIGTERM')
  }

  async #startAll(): Promise<void> {
    const count = workersOf(this.#configured.config)
    // One first, so that a port in use or a storage that fails is reported once.
    const started = await this.#start()
    if (E.isLeft(started)) return this.#end(this.#isStopping ? E.right(0) : started)
    // A reload does not wait for the others, because they may need the new configuration.
    void this.#startOthers(count - 1)
  }

  async #startOthers(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#startOrRetry()))
    if (!this.#isStopping) this.#log.info({ workers: this.#serving().length }, 'all workers are ready')
  }

  /** Resolves when the worker listens, or is asked to leave before that. `left` says why it did not start. */
  async #start(isReplacement = false): Promise<E.Either<string, void>> {
    const { installation } = this.#configured.config
    // Our own workers share their socket.
    const isOurs = [...this.#members].some(({ config }) => config.installation.host === installation.host)
    const free = isOurs ? E.right(undefined) : await freeSocket(installation.host)()
    if (E.isLeft(free)) return E.left(cannotListen(installation, 'CANOPY')(free.left))
    if (this.#isStopping) return E.left('the service is stopping')
    try {
      const { config, variables } = this.#configured
      const worker = cluster.fork({ ...variables, [replacement]: isReplacement ? 'true' : undefined })
      const member: Member = { worker, config, state: 'starting' }
      this.#members.add(member)
      return await this.#started(member)
    } catch (thrown) {
      // Node throws if there is no memory for another process.
      return E.left(reasonOf(thrown))
    }
  }

  #started(member: Member): Promise<E.Either<string, void>> {
    const { worker } = member
    return new Promise((resolve) => {
      let sent: string | undefined
      const timer = setTimeout(() => {
        sent ??= `it did not listen within ${startMs / 1000} seconds`
        worker.process.kill('SIGKILL')
      }, startMs)
      const exited = (reason: string): void => {
        clearTimeout(timer)
        resolve(member.state === 'leaving' ? E.right(undefined) : E.left(sent ?? reason))
        this.#exited(member, reason)
      }
      worker.on('message', (message: unknown) => {
        if (typeof message === 'string') sent = message
      })
      worker.once('listening', ({ port }) => {
        clearTimeout(timer)
        resolve(E.right(undefined))
        this.#listening(member, port)
      })
      worker.once('exit', (code, signal) => exited(signal ?? `exit code ${code}`))
      worker.on('error', ({ message }) => {
        // A process that could not be started does not exit.
        if (worker.process.pid === undefined) exited(message)
        else this.#log.error({ worker: worker.id, message }, 'cannot reach worker')
      })
    })
  }

  #listening(member: Member, port: number): void {
    if (member.state === 'starting') member.state = 'listening'
    const { host, basePath } = member.config.installation
    const url = Installation.urlAt(host, port) + basePath
    if (url !== this.#url) this.#log.info({ url }, 'listening')
    this.#url = url
  }

  #exited(member: Member, reason: string): void {
    this.#members.delete(member)
    if (this.#isStopping && this.#members.size === 0) this.#end(E.right(this.#exitCode))
    if (this.#isStopping || member.state !== 'listening') return
    this.#log.error({ worker: member.worker.id, reason }, 'worker crashed')
    void this.#replaceCrashed()
  }

  async #replaceCrashed(): Promise<void> {
    this.#crashes = performance.now() - this.#lastCrash < calmMs ? this.#crashes + 1 : 1
    this.#lastCrash = performance.now()
    const count = workersOf(this.#configured.config)
    // One event can end all workers together, so one crash of each is not a loop.
    const isLoop = this.#crashes >= crashLoop + count - 1
    if (isLoop && !this.#serving().some(({ state }) => state === 'listening')) {
      this.#log.fatal({ crashes: this.#crashes }, 'giving up: workers keep crashing')
      this.#exitCode = 1
      return this.stop()
    }
    await sleep(pauseMs(this.#crashes))
    if (this.#serving().length < count) await this.#startOrRetry()
  }

  async #startOrRetry(): Promise<void> {
    const started = await this.#start(true)
    if (E.isRight(started) || this.#isStopping) return
    // Only once, because the next worker most likely fails for the same reason.
    if (started.left !== this.#reported) this.#log.error({ reason: started.left }, 'worker did not start')
    this.#reported = started.left
    await this.#replaceCrashed()
  }

  /** Replaces one old worker by each new one. The last new one replaces all that remain. */
  async #replaceAll(): Promise<void> {
    const read = this.#readConfig()
    if (E.isLeft(read)) return this.#log.error({ problems: read.left }, 'reload failed: invalid configuration')
    this.#log.info('reloading')
    const before = this.#configured
    this.#configured = read.right
    logWorkers(read.right.config, this.#log)
    const old = this.#serving()
    for (let missing = workersOf(read.right.config); missing > 0; missing -= 1) {
      const started = await this.#start()
      if (this.#isStopping) return
      if (E.isLeft(started)) {
        this.#configured = before
        return this.#log.error(
          { reason: started.left },
          'reload failed: a new worker did not start; the old workers keep serving',
        )
      }
      for (const member of old.splice(0, missing === 1 ? old.length : 1))
        if (member.worker.isConnected()) this.#leave(member).send(retire, () => undefined)
    }
    this.#log.info('reloaded')
  }

  #serving(): Array<Member> {
    return [...this.#members].filter(({ state }) => state !== 'leaving')
  }

  /** Marks a worker as leaving, and kills it if it does not exit in time. */
  #leave(member: Member): Worker {
    const { worker, config } = member
    member.state = 'leaving'
    const kill = (): void => {
      this.#log.error({ worker: worker.id }, 'killed a worker that did not exit in time')
      worker.process.kill('SIGKILL')
    }
    const timer = setTimeout(kill, config.drainMs + config.stopMs + exitMs)
    return worker.once('exit', () => clearTimeout(timer))
  }
}
