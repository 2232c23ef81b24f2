import { closeSync, openSync } from 'node:fs'
import { type Area, type Entry, Failure, type Listing, type Signal, type StoragePath } from '@canopy/domain'
import { endOfTick } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import pLimit from 'p-limit'
import { Tinypool } from 'tinypool'
import { readerFile } from '../readerFile.js'
import type { StorageRoot } from '../StorageRoot.js'
import {
  answerOf,
  type Batch,
  type Cancel,
  type Found,
  type ListQuestion,
  type Question,
  type Replies,
} from './messages.js'
import type { Answer } from './openEntry.js'

interface ReaderPoolOptions {
  readonly maxProcesses?: number | undefined
  readonly idleMs?: number | undefined
  /** A process that reads one directory for longer is killed, and the answer is `external`. */
  readonly maxMs?: number | undefined
}

/** A question that awaits its answer. */
interface Pending {
  readonly question: Question
  readonly signal: Signal | undefined
  readonly resolve: (answer: Answer<Found>) => void
  /** Whether it gets a batch of its own, because it may have ended the process of its first batch. */
  readonly isAlone: boolean
}

/** The questions of an area that no process has. */
interface Queue {
  readonly pending: Array<Pending>
  batchesInFlight: number
}

/** A huge area, or one on a hanging disk, leaves the other processes to other areas. */
const batchesOfArea = 2
const maxBatch = 32

const clientLeft = Failure.external(new Error('the client left before the directory was read'))

/**
 * Reads in child processes, from the first question until `idleMs` without one. A process can be killed when its disk hangs; a
 * thread cannot. The processes have no environment, because there are secrets in it.
 *
 * All questions of a tick go in batches of one area each. A reader answers a batch in order, and each answer arrives when it is
 * ready.
 */
export class ReaderPool {
  readonly #root: StorageRoot
  readonly #options: Required<{ [Name in keyof ReaderPoolOptions]: number }>
  readonly #queues = new Map<string, Queue>()
  readonly #inProcess: ReturnType<typeof pLimit>
  /** Aborts batches that no process has begun. */
  readonly #waitingForProcess = new Set<AbortController>()
  #processes: Tinypool | undefined
  #batchCount = 0

  constructor(root: StorageRoot, { maxProcesses = 4, idleMs = 60_000, maxMs = 24_000 }: ReaderPoolOptions = {}) {
    this.#root = root
    this.#options = { maxProcesses, idleMs, maxMs }
    this.#inProcess = pLimit(maxProcesses)
  }

  /** Calls `storageReachable` in a reader process. */
  async reachable(): Promise<E.Either<Failure.External, null>> {
    const answer = await this.#ask<null>('', { ask: 'reachable' })
    return E.mapLeft((failure: Failure.OfStorage) =>
      failure.error === 'external' ? failure : Failure.external(failure),
    )(answer)
  }

  nodeAt(area: Area.Area, path: StoragePath.StoragePath): Promise<Answer<Entry.Node>> {
    return this.#ask(area.location, { ask: 'nodeAt', area, path })
  }

  list(question: ListQuestion, signal?: Signal): Promise<Answer<Listing.Listing>> {
    return this.#ask(question.area.location, question, signal)
  }

  #ask<A extends Found>(key: string, question: Question, signal?: Signal): Promise<Answer<A>> {
    return new Promise((resolve) => {
      const queue = this.#queues.get(key) ?? { pending: [], batchesInFlight: 0 }
      this.#queues.set(key, queue)
      queue.pending.push({ question, signal, resolve: resolve as Pending['resolve'], isAlone: false })
      void this.#readQueue(key, queue)
    })
  }

  /** Reads batch after batch until the queue is empty. */
  async #readQueue(key: string, queue: Queue): Promise<void> {
    if (queue.batchesInFlight === batchesOfArea) return
    queue.batchesInFlight += 1
    while (queue.pending.length > 0) await this.#inProcess(() => this.#readBatch(queue))
    queue.batchesInFlight -= 1
    if (queue.batchesInFlight === 0) this.#queues.delete(key)
  }

  /** If the process dies or hangs, each question gets a batch of its own, because any of them may be the cause. */
  async #readBatch({ pending }: Queue): Promise<void> {
    await endOfTick()
    const batch = pending.splice(0, pending[0]?.isAlone === true ? 1 : maxBatch).filter(isWanted)
    const unanswered = new Map(batch.entries())
    try {
      if (batch.length > 0) await this.#send(batch, unanswered)
    } catch (cause) {
      if (batch.length > 1) pending.unshift(...Array.from(unanswered.values(), (each) => ({ ...each, isAlone: true })))
      else for (const { resolve } of unanswered.values()) resolve(E.left(Failure.external(cause)))
    }
  }

  /** Removes each question from `unanswered` as its answer arrives. Rejects if the process dies, hangs or does not start. */
  async #send(batch: ReadonlyArray<Pending>, unanswered: Map<number, Pending>): Promise<void> {
    const { maxMs } = this.#options
    this.#batchCount += 1
    const number = this.#batchCount
    const hangs = new AbortController()
    const timer = setTimeout(() => hangs.abort(new Error(`a directory was not read within ${maxMs} ms`)), maxMs)
    let send: ((message: Cancel) => void) | undefined
    const cancel = (index: number): void => send?.({ batch: number, cancelled: index })
    const removeListeners = onDeparture(batch, unanswered, cancel)
    const resolveAll = ({ replies }: Replies): void => {
      timer.refresh()
      for (const [index, reply] of replies) {
        unanswered.get(index)?.resolve(answerOf(reply))
        unanswered.delete(index)
      }
    }
    const onBegin = (sendToProcess: NonNullable<typeof send>): void => {
      this.#waitingForProcess.delete(hangs)
      send = sendToProcess
      for (const index of batch.keys()) if (!unanswered.has(index)) cancel(index)
    }
    this.#waitingForProcess.add(hangs)
    try {
      this.#processes ??= this.#start()
      if (this.#processes.threads.length < this.#inProcess.activeCount) checkDescriptors()
      const message: Batch = { number, root: this.#root, questions: batch.map(({ question }) => question) }
      const channel = { onMessage: onBegin, postMessage: resolveAll }
      resolveAll(await this.#processes.run(message, { signal: hangs.signal, channel }))
    } catch (thrown) {
      throw hangs.signal.aborted ? hangs.signal.reason : thrown
    } finally {
      clearTimeout(timer)
      this.#waitingForProcess.delete(hangs)
      removeListeners()
    }
  }

  #start(): Tinypool {
    const processes = new Tinypool({
      filename: readerFile,
      name: 'answer',
      runtime: 'child_process',
      serialization: 'advanced',
      env: {},
      execArgv: [],
      minThreads: 0,
      maxThreads: this.#options.maxProcesses,
      idleTimeout: this.#options.idleMs,
    })
    // A process that could not be started leaves its batch in the pool's queue.
    processes.on('error', (cause) => {
      for (const batch of this.#waitingForProcess) batch.abort(cause)
    })
    return processes
  }
}

/** Answers a question whose client has left. */
const isWanted = ({ signal, resolve }: Pending): boolean => {
  if (signal?.aborted !== true) return true
  resolve(E.left(clientLeft))
  return false
}

/** Answers a question when its client leaves, and calls `cancel` with its index. Returns a function that ends this. */
const onDeparture = (
  batch: ReadonlyArray<Pending>,
  unanswered: Map<number, Pending>,
  cancel: (index: number) => void,
): (() => void) => {
  const removals = batch.map(({ signal, resolve }, index) => {
    const leave = (): void => {
      if (!unanswered.delete(index)) return
      resolve(E.left(clientLeft))
      cancel(index)
    }
    signal?.addEventListener('abort', leave)
    return () => signal?.removeEventListener('abort', leave)
  })
  return () => {
    for (const remove of removals) remove()
  }
}

/** More than a process takes to start. */
const startDescriptors = 16

/** Throws if too few are left. Tinypool would not handle that error of Node, which would end this process. */
const checkDescriptors = (): void => {
  const opened: Array<number> = []
  try {
    while (opened.length < startDescriptors) opened.push(openSync('/dev/null', 'r'))
  } finally {
    for (const fd of opened) closeSync(fd)
  }
}
