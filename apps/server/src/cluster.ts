import cluster, { type Worker } from 'node:cluster'
import { setTimeout as sleep } from 'node:timers/promises'
import { causeOf, Installation } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import type { Logger } from 'pino'
import type { Config, Configured } from './config.js'
import { cannotListen, freeSocket } from './http/listen.js'
import { logWorkers, workersOf } from './workers.js'

/** Sent to a worker that another one replaces. A signal means that the whole service stops. */
export const retire = 'retire'

/** Set for every worker but the first and those of a reload: it starts also while storage or registry do not answer. */
export const replacement = 'REPLACES_WORKER'

// All in milliseconds.
/** A worker that does not listen by then is killed. */
const startMs = 60_000
/** What a worker may take to exit, beyond its drain and its stop. */
const exitMs = 6_000
/** Crashes further apart than this are unrelated. */
const calmMs = 120_000
/** Before a crashed worker is replaced: nothing after one crash, then doubling. */
const pauseMs = (crashes: number): number => (crashes <= 1 ? 0 : Math.min(250 * 2 ** (crashes - 2), 30_000))

/** So many crashes in a row, and one more for each further worker, end the service if none listens. */
const crashLoop = 8

interface Member {
  readonly worker: Worker
  /** What it was started with: where it listens, and how long it may take to exit. */
  readonly config: Config
  state: 'starts' | 'listens' | 'leaves'
}

/**
 * Runs the service in several processes. Each worker accepts connections by itself; this process starts them, replaces
 * those that crash, and answers no request. A worker that cannot start sends the reason as a string. `reload` replaces them
 * one by one, with the configuration as it is now. `ended` resolves with the exit code when every worker has exited; `left`
 * says why the service did not start.
 */
export const runWorkers = (
  first: Configured,
  readConfig: () => E.Either<ReadonlyArray<string>, Configured>,
  log: Logger,
) => {
  let configured = first
  /** Oldest first. */
  const members = new Set<Member>()
  let listeningAt = ''
  let crashes = 0
  let lastCrash = 0
  let reported = ''
  let stopping = false
  let exitCode = 0
  let end: (result: E.Either<string, number>) => void
  const ended = new Promise<E.Either<string, number>>((resolve) => {
    end = resolve
  })

  const serving = (): Array<Member> => [...members].filter(({ state }) => state !== 'leaves')

  /** Resolves when the worker listens, or was asked to exit first; `left` says why it did not start. */
  const start = (isReplacement = false): Promise<E.Either<string, void>> =>
    // Node throws where there is no memory for another process.
    fork(isReplacement).catch((thrown: unknown) => E.left(causeOf(thrown)))

  const fork = async (isReplacement: boolean): Promise<E.Either<string, void>> => {
    const { installation } = configured.config
    // The socket of our own workers is shared.
    const isOurs = [...members].some((member) => member.config.installation.host === installation.host)
    const free = isOurs ? E.right(undefined) : await freeSocket(installation.host)()
    if (E.isLeft(free)) return E.left(cannotListen(installation, 'CANOPY')(free.left))
    if (stopping) return E.left('the service stops')
    const { config, variables } = configured
    const worker = cluster.fork({ ...variables, [replacement]: isReplacement ? 'true' : undefined })
    const member: Member = { worker, config, state: 'starts' }
    members.add(member)
    return new Promise((resolve) => {
      const late = setTimeout(() => worker.process.kill('SIGKILL'), startMs)
      let reason: string | undefined
      const exited = (by: string): void => {
        clearTimeout(late)
        members.delete(member)
        resolve(member.state === 'leaves' ? E.right(undefined) : E.left(reason ?? by))
        if (stopping && members.size === 0) end(E.right(exitCode))
        if (stopping || member.state !== 'listens') return
        log.error({ worker: worker.id, by }, 'a worker crashed')
        void replaceCrashed()
      }
      worker.on('message', (message: unknown) => {
        if (typeof message === 'string') reason = message
      })
      worker.once('listening', ({ port }) => {
        clearTimeout(late)
        if (member.state === 'starts') member.state = 'listens'
        resolve(E.right(undefined))
        const url = Installation.urlAt(config.installation.host, port) + config.installation.basePath
        if (url !== listeningAt) log.info({ url }, 'listening')
        listeningAt = url
      })
      worker.once('exit', (code, signal) => exited(signal ?? `code ${code}`))
      worker.on('error', ({ message }) => {
        // A process that could not be started does not exit.
        if (worker.process.pid === undefined) exited(message)
        else log.error({ worker: worker.id, message }, 'a worker cannot be reached')
      })
    })
  }

  const startOrRetry = async (): Promise<void> => {
    const started = await start(true)
    if (E.isRight(started) || stopping) return
    // Once: the next one most likely fails for the same reason.
    if (started.left !== reported) log.error({ by: started.left }, 'a worker did not start')
    reported = started.left
    await replaceCrashed()
  }

  const replaceCrashed = async (): Promise<void> => {
    crashes = performance.now() - lastCrash < calmMs ? crashes + 1 : 1
    lastCrash = performance.now()
    // One event can end all workers at once: that is one crash of each, and no loop yet.
    const isLoop = crashes >= crashLoop + workersOf(configured.config) - 1
    if (isLoop && !serving().some(({ state }) => state === 'listens')) {
      log.fatal({ crashes }, 'workers crash again and again: giving up')
      exitCode = 1
      return stop()
    }
    await sleep(pauseMs(crashes))
    if (serving().length < workersOf(configured.config)) await startOrRetry()
  }

  /** The worker, which is killed if it does not exit in time. */
  const leaving = (member: Member): Worker => {
    const { worker, config } = member
    member.state = 'leaves'
    const kill = (): void => {
      log.error({ worker: worker.id }, 'a worker did not exit in time and was killed')
      worker.process.kill('SIGKILL')
    }
    const late = setTimeout(kill, config.drainMs + config.stopMs + exitMs)
    return worker.once('exit', () => clearTimeout(late))
  }

  const stop = (): void => {
    stopping = true
    if (members.size === 0) end(E.right(exitCode))
    for (const member of members) leaving(member).process.kill('SIGTERM')
  }

  /** New workers start one by one; each that listens takes the place of an old one, the last one that of all the rest. */
  const replaceAll = async (): Promise<void> => {
    const read = readConfig()
    if (E.isLeft(read)) return log.error({ problems: read.left }, 'not reloaded: the configuration is wrong')
    log.info('reloading')
    const before = configured
    configured = read.right
    logWorkers(configured.config, log)
    const old = serving()
    for (let missing = workersOf(configured.config); missing > 0; missing -= 1) {
      const started = await start()
      if (stopping) return
      if (E.isLeft(started)) {
        configured = before
        return log.error({ by: started.left }, 'reload abandoned: a new worker did not start, the others go on')
      }
      for (const member of old.splice(0, missing === 1 ? old.length : 1))
        if (member.worker.isConnected()) leaving(member).send(retire, () => undefined)
    }
    log.info('reloaded')
  }

  const startAll = async (): Promise<void> => {
    // One first: a port that is in use, or a storage that does not answer, is reported once.
    const started = await start()
    if (E.isLeft(started)) return end(stopping ? E.right(0) : started)
    // A reload does not wait for the others: it may be what they need.
    void startOthers()
  }

  const startOthers = async (): Promise<void> => {
    await Promise.all(Array.from({ length: workersOf(first.config) - 1 }, startOrRetry))
    if (!stopping) log.info({ workers: serving().length }, 'every worker is ready')
  }

  // Each worker accepts for itself. The first set-up makes this final.
  cluster.schedulingPolicy = cluster.SCHED_NONE
  // The folder that the service was started in may be deleted under it. `relayWorkers` passes on what workers write.
  cluster.setupPrimary({ args: [], cwd: '/', stdio: ['inherit', 'pipe', 'pipe', 'ipc'] })
  let last = startAll()
  const reload = (): void => {
    last = last.then(replaceAll)
  }
  return { reload, stop, ended }
}
