import type { Cluster, Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { later } from '../later.js'
import { type Command, type Event, initial, type Report, type WorkerId } from './Supervision.js'
import { step } from './step.js'
import { type FailedLookup, isFailedLookup, type Leave, ready } from './words.js'

interface Supervised {
  /** Replaces every worker, one after the other, by a new one. */
  readonly reload: (wanted: number) => void
  readonly stop: () => void
  /** The others are started now. */
  readonly portOpened: () => void
  /** Resolves with the exit code, when the service has ended. */
  readonly ended: Promise<number>
}

interface SuperviseEnv {
  readonly cluster: Cluster
  readonly log: Logger
  /** How long a worker that is started now may take to leave, one day, before it is killed, in milliseconds. */
  readonly leaveMs: () => number
  /** How long a worker may take to be ready before it is killed, in milliseconds: where no thread is left, Node waits for ever. */
  readonly startMs: number
}

/** Behind a connection that is on its way words wait, a few at a time. */
const mostUnsent = 1_000

const levels: { readonly [R in Report]: 'info' | 'error' | 'fatal' } = {
  'every worker is ready': 'info',
  'a worker died': 'error',
  reloaded: 'info',
  'reload abandoned: a new worker died, the others go on': 'error',
  'workers die again and again: giving up': 'fatal',
}

interface Started {
  readonly worker: Worker
  /** By the configuration that it was started with. */
  readonly leaveMs: number
}

/** A worker that is still starting hears no word yet, but ends by a signal. Only one that is ready is ever told to retire. */
const tellToLeave = ({ worker, leaveMs }: Started, how: Leave, log: Logger): void => {
  if (how === 'stop') worker.process.kill('SIGTERM')
  // What cannot be sent any more goes to a worker that is gone.
  else if (worker.isConnected()) worker.send(how, () => undefined)
  const kill = setTimeout(() => {
    worker.process.kill('SIGKILL')
    log.error({ worker: worker.id }, 'a worker did not leave in time and was killed')
  }, leaveMs)
  worker.once('exit', () => clearTimeout(kill))
}

/** Keeps so many workers at work until it is stopped. */
export const supervise = (wanted: number, { cluster, log, leaveMs, startMs }: SuperviseEnv): Supervised => {
  const workers = new Map<WorkerId, Started>()
  /** How much each has been told that has not left this process. */
  const behind = new WeakMap<Worker, number>()
  let state = initial(wanted)
  const ended = later<number>()

  const pass = (to: Worker, word: FailedLookup): void => {
    const unsent = behind.get(to) ?? 0
    // Who does not read is not told everything, or it would pile up here.
    if (!to.isConnected() || unsent >= mostUnsent) return
    behind.set(to, unsent + 1)
    to.send(word, () => behind.set(to, (behind.get(to) ?? 1) - 1))
  }

  const startWorker = (id: WorkerId): void => {
    const worker = cluster.fork()
    workers.set(id, { worker, leaveMs: leaveMs() })
    const kill = setTimeout(() => {
      log.error({ worker: worker.id, startMs }, 'a worker did not start in time and is killed')
      worker.process.kill('SIGKILL')
    }, startMs)
    worker.on('message', (word: unknown) => {
      if (word === ready) {
        clearTimeout(kill)
        happen({ is: 'ready', id })
      }
      if (isFailedLookup(word))
        for (const { worker: other } of workers.values()) if (other !== worker) pass(other, word)
    })
    const gone = (by: string): void => {
      if (!workers.delete(id)) return
      clearTimeout(kill)
      happen({ is: 'exited', id, at: performance.now(), by })
    }
    worker.on('error', ({ message }) => {
      // What never was tells of no end.
      const isThere = worker.process.pid !== undefined
      log.error({ worker: worker.id, message }, `a worker cannot be ${isThere ? 'reached' : 'started'}`)
      if (!isThere) gone(message)
    })
    worker.once('exit', (code, signal) => gone(signal ?? `code ${code}`))
  }

  const execute = (command: Command): void => {
    const started = 'id' in command ? workers.get(command.id) : undefined
    switch (command.do) {
      case 'start':
        startWorker(command.id)
        break
      case 'retire':
      case 'stop':
        if (started !== undefined) tellToLeave(started, command.do, log)
        break
      case 'pause':
        setTimeout(() => happen({ is: 'pause over' }), command.ms)
        break
      case 'report':
        log[levels[command.what]]({ ...command.of, workers: state.workers.size }, command.what)
        break
      case 'end':
        ended.give(command.code)
        break
    }
  }

  const happen = (event: Event): void => {
    const [next, commands] = step(state, event)
    state = next
    commands.forEach(execute)
  }

  happen({ is: 'begun' })
  return {
    reload: (count) => happen({ is: 'reload asked', wanted: count }),
    stop: () => happen({ is: 'stop asked' }),
    portOpened: () => happen({ is: 'port open' }),
    ended: ended.value,
  }
}
