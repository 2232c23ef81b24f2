import { type Area, type Entry, Failure, type Listing, type Signal, type StoragePath } from '@canopy/domain'
import { endOfTick } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import pLimit from 'p-limit'
import { asExternal, type StorageResult } from '../StorageResult.js'
import type { StorageRoot } from '../StorageRoot.js'
import type { Found, ListQuestion, Question } from './messages.js'
import { allHang, type ReaderOptions, ReaderProcess } from './ReaderProcess.js'

/** A question that awaits its answer. */
interface PendingQuestion {
  readonly question: Question
  readonly signal: Signal | undefined
  readonly resolve: (answer: StorageResult<Found>) => void
  /** Sent in a message of its own, because its first batch ended with the death of the process. */
  isAlone: boolean
  /** Ends the reading. Set once a process has the question. */
  cancel?: () => void
}

/** The questions of an area that no process has, oldest first. */
interface Queue {
  readonly pending: Set<PendingQuestion>
  batchesInFlight: number
}

/** A huge area, or one on a hanging disk, leaves the other processes to other areas. */
const maxBatchesOfArea = 2
/** A tree reads further ahead than this, so a process that finishes a batch finds the next one queued. */
const maxBatchLength = 16

const clientLeft = Failure.external(new Error('the client disconnected before the storage responded'))

/** Reads directories in child processes. All questions of a tick go in batches of one area each, one batch to a process. */
export class ReaderPool {
  readonly #root: StorageRoot
  readonly #options: ReaderOptions
  readonly #queues = new Map<string, Queue>()
  readonly #limiter: ReturnType<typeof pLimit>
  readonly #living = new Set<ReaderProcess>()
  /** The processes without a batch. */
  readonly #idle: Array<ReaderProcess> = []

  constructor(root: StorageRoot, { maxProcesses = 4, ...options }: ReaderOptions & { maxProcesses?: number } = {}) {
    this.#root = root
    this.#options = options
    this.#limiter = pLimit(maxProcesses)
  }

  /** Calls `storageReachable` in a reader process. */
  async reachable(): Promise<E.Either<Failure.External, null>> {
    return E.mapLeft(asExternal)(await this.#ask<null>('', { ask: 'reachable' }))
  }

  nodeAt(area: Area.Area, path: StoragePath.StoragePath, signal?: Signal): Promise<StorageResult<Entry.Node>> {
    return this.#ask(area.location, { ask: 'nodeAt', area, path }, signal)
  }

  list(question: ListQuestion, signal?: Signal): Promise<StorageResult<Listing.Listing>> {
    return this.#ask(question.area.location, question, signal)
  }

  async #ask<A extends Found>(key: string, question: Question, signal?: Signal): Promise<StorageResult<A>> {
    if (signal?.aborted === true) return E.left(clientLeft)
    const queue = this.#queues.get(key) ?? { pending: new Set(), batchesInFlight: 0 }
    this.#queues.set(key, queue)
    return new Promise((resolve) => {
      const pending: PendingQuestion = {
        question,
        signal,
        isAlone: false,
        resolve: (answer) => {
          signal?.removeEventListener('abort', leave)
          resolve(answer as StorageResult<A>)
        },
      }
      const leave = (): void => {
        queue.pending.delete(pending)
        pending.cancel?.()
        pending.resolve(E.left(clientLeft))
      }
      signal?.addEventListener('abort', leave)
      queue.pending.add(pending)
      void this.#readQueue(key, queue)
    })
  }

  /** Reads batch after batch until the queue is empty. */
  async #readQueue(key: string, queue: Queue): Promise<void> {
    if (queue.batchesInFlight === maxBatchesOfArea) return
    queue.batchesInFlight += 1
    while (queue.pending.size > 0) await this.#limiter(() => this.#readBatch(queue.pending))
    queue.batchesInFlight -= 1
    if (queue.batchesInFlight === 0) this.#queues.delete(key)
  }

  async #readBatch(pending: Set<PendingQuestion>): Promise<void> {
    await endOfTick()
    const batch = nextBatch(pending)
    if (batch.length === 0) return
    const taken = this.#takeProcess()
    if (E.isLeft(taken)) {
      for (const { resolve } of batch) resolve(taken)
      return
    }
    const reader = taken.right
    const ask = async (each: PendingQuestion): Promise<void> => {
      const { number, answer } = reader.ask(each.question)
      each.cancel = () => reader.cancel(number)
      try {
        each.resolve(await answer)
      } catch (cause) {
        // Any question of a batch may have ended the process, so each is asked again by itself.
        if (batch.length === 1) return each.resolve(E.left(Failure.external(cause)))
        each.isAlone = true
        if (each.signal?.aborted !== true) pending.add(each)
      }
    }
    await Promise.all(batch.map(ask))
    if (reader.isUsable) this.#idle.push(reader)
  }

  #takeProcess(): E.Either<Failure.External, ReaderProcess> {
    let reader = this.#idle.pop()
    while (reader?.isUsable === false) reader = this.#idle.pop()
    // Killed processes leave room for others, but not without limit.
    const areEnough = this.#living.size >= 2 * this.#limiter.concurrency
    if (reader !== undefined || areEnough) return E.fromNullable(allHang)(reader)
    return E.tryCatch(() => new ReaderProcess(this.#root, this.#options, this.#living), Failure.external)
  }
}

/** Takes the oldest questions out of the queue. */
const nextBatch = (pending: Set<PendingQuestion>): ReadonlyArray<PendingQuestion> => {
  const batch: Array<PendingQuestion> = []
  for (const each of pending) {
    if (batch.length === maxBatchLength || (each.isAlone && batch.length > 0)) break
    batch.push(each)
    pending.delete(each)
    if (each.isAlone) break
  }
  return batch
}
