import { closeSync, openSync } from 'node:fs'
import { type Area, type Entry, Failure, type Listing, type Signal, type StoragePath } from '@canopy/domain'
import { endOfTick } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import pLimit from 'p-limit'
import { Tinypool } from 'tinypool'
import { readerFile } from '../readerFile.js'
import type { StorageRoot } from '../StorageRoot.js'
import { areaQueues } from './areaQueues.js'
import type { Answer } from './openEntry.js'
import { type Packed, PackedEntries } from './PackedEntries.js'
import { errorOf, failureOf, type PlainCause, type PlainFailure } from './PlainFailure.js'

/** A request to a reader process. */
export type Question =
  | { readonly ask: 'reachable' }
  | {
      readonly ask: 'nodeAt' | 'list' | 'listSnapshot'
      readonly area: Area.Area
      readonly path: StoragePath.StoragePath
    }

/** Sent to a reader process, which answers the questions in order. */
export interface Batch {
  readonly number: number
  readonly root: StorageRoot
  readonly questions: ReadonlyArray<Question>
}

/** Sent to a reader process when the client of a question has left. */
export interface Cancel {
  readonly batch: number
  readonly cancelled: number
}

/** Sent by a reader process: answers, each with the index of its question. */
export interface Replies {
  readonly replies: ReadonlyArray<readonly [number, Reply]>
}

export type Reply = E.Either<PlainFailure, Entry.Node | PlainListing | null>

export interface PlainListing {
  readonly packed: Packed
  readonly unlistable: number
  readonly unknown: { readonly names: Listing.Unknown['names']; readonly cause: PlainCause } | undefined
}

interface ReaderPoolOptions {
  readonly maxProcesses?: number | undefined
  readonly idleMs?: number | undefined
  /** A process that reads one directory for longer is killed, and the answer is `external`. */
  readonly maxMs?: number | undefined
}

/** A question that awaits its answer. */
interface Pending {
  readonly question: Question
  readonly key: string
  readonly signal: Signal | undefined
  readonly askedAt: number
  readonly resolve: (answer: Answer<Entry.Node | Listing.Listing | null>) => void
}

/** Concurrent batches of an area. */
const batchesOfArea = 2
const maxBatch = 64
/** A message costs as much as a few directories. */
const minBatch = 16

/** Divides the questions among the processes that may read for one area. */
const batchLength = (pendingCount: number): number =>
  Math.min(maxBatch, Math.max(minBatch, Math.ceil(pendingCount / batchesOfArea)))

/** Longer than any client waits. */
const maxQueuedMs = 60_000

const queuedTooLong = Failure.external(new Error(`the mount left the question unanswered for ${maxQueuedMs} ms`))
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
  readonly #pendingOf = new Map<string, Array<Pending>>()
  readonly #inAreaQueue = areaQueues(batchesOfArea)
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

  list(
    ask: 'list' | 'listSnapshot',
    area: Area.Area,
    path: StoragePath.StoragePath,
    signal?: Signal,
  ): Promise<Answer<Listing.Listing>> {
    return this.#ask(area.location, { ask, area, path }, signal)
  }

  #ask<A extends Entry.Node | Listing.Listing | null>(
    key: string,
    question: Question,
    signal?: Signal,
  ): Promise<Answer<A>> {
    return new Promise((resolve) => {
      const pending = this.#pendingOf.get(key) ?? []
      this.#pendingOf.set(key, pending)
      pending.push({
        question,
        key,
        signal,
        askedAt: performance.now(),
        resolve: resolve as Pending['resolve'],
      })
      void this.#inAreaQueue(key, async () => {
        if (this.#pendingOf.has(key)) await this.#inProcess(() => this.#readNext(key))
      })
    })
  }

  async #readNext(key: string): Promise<void> {
    await endOfTick()
    const pending = this.#pendingOf.get(key) ?? []
    const batch = pending.splice(0, batchLength(pending.length))
    if (pending.length === 0) this.#pendingOf.delete(key)
    await this.#read(batch)
  }

  /** Reads a batch. If the process dies or hangs, each question gets a batch of its own, because any of them may be the cause. */
  async #read(pending: ReadonlyArray<Pending>): Promise<void> {
    const batch = pending.filter((each) => isWanted(each))
    if (batch.length === 0) return
    const unanswered = new Map(batch.entries())
    try {
      await this.#send(batch, unanswered)
    } catch (cause) {
      if (batch.length === 1) for (const { resolve } of unanswered.values()) resolve(E.left(Failure.external(cause)))
      else
        for (const each of unanswered.values())
          void this.#inAreaQueue(each.key, () => this.#inProcess(() => this.#read([each])))
    }
  }

  /** Removes each question from `unanswered` as its answer arrives. Rejects if the process dies, hangs or does not start. */
  async #send(batch: ReadonlyArray<Pending>, unanswered: Map<number, Pending>): Promise<void> {
    const { maxMs } = this.#options
    this.#batchCount += 1
    const number = this.#batchCount
    const hangs = new AbortController()
    const timer = setTimeout(() => hangs.abort(new Error(`a directory was not read within ${maxMs} ms`)), maxMs)
    const cancellation = new Cancellation(batch, number, unanswered)
    this.#waitingForProcess.add(hangs)
    try {
      this.#processes ??= this.#start()
      if (this.#processes.threads.length < this.#inProcess.activeCount) checkDescriptors()
      const message: Batch = { number, root: this.#root, questions: batch.map(({ question }) => question) }
      const resolveAll = ({ replies }: Replies): void => {
        timer.refresh()
        for (const [index, reply] of replies) {
          unanswered.get(index)?.resolve(answerOf(reply))
          unanswered.delete(index)
        }
      }
      const last: Replies = await this.#processes.run(message, {
        signal: hangs.signal,
        channel: {
          onMessage: (send) => {
            this.#waitingForProcess.delete(hangs)
            cancellation.begin(send)
          },
          postMessage: resolveAll,
        },
      })
      resolveAll(last)
    } catch (thrown) {
      throw hangs.signal.aborted ? hangs.signal.reason : thrown
    } finally {
      clearTimeout(timer)
      this.#waitingForProcess.delete(hangs)
      cancellation.end()
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

/** Reports whether a question must still be read. Answers one that waited too long, or whose client has left. */
const isWanted = ({ signal, askedAt, resolve }: Pending): boolean => {
  const isCancelled = signal?.aborted === true
  if (!isCancelled && performance.now() - askedAt <= maxQueuedMs) return true
  resolve(E.left(isCancelled ? clientLeft : queuedTooLong))
  return false
}

/** Tells the process which clients of a batch have left. */
class Cancellation {
  readonly #ends: Array<() => void> = []
  #send: ((message: Cancel) => void) | undefined
  readonly #left: Array<Cancel> = []

  constructor(batch: ReadonlyArray<Pending>, number: number, unanswered: Map<number, Pending>) {
    for (const [index, { signal, resolve }] of batch.entries()) {
      const leave = (): void => {
        if (!unanswered.delete(index)) return
        resolve(E.left(clientLeft))
        const message = { batch: number, cancelled: index }
        if (this.#send === undefined) this.#left.push(message)
        else this.#send(message)
      }
      signal?.addEventListener('abort', leave)
      this.#ends.push(() => signal?.removeEventListener('abort', leave))
    }
  }

  begin(send: (message: Cancel) => void): void {
    this.#send = send
    for (const message of this.#left) send(message)
  }

  end(): void {
    for (const end of this.#ends) end()
  }
}

const answerOf = (reply: Reply): Answer<Entry.Node | Listing.Listing | null> => {
  if (E.isLeft(reply)) return E.left(failureOf(reply.left))
  return E.right(reply.right !== null && 'packed' in reply.right ? listingOf(reply.right) : reply.right)
}

/** Copies the arrays, because they are views of the whole message and would keep it in memory. */
const listingOf = ({ packed, unlistable, unknown }: PlainListing): Listing.Listing => ({
  entries: new PackedEntries({ ...packed, starts: packed.starts.slice(), numbers: packed.numbers.slice() }),
  unlistable,
  unknown: unknown && { names: unknown.names, cause: errorOf(unknown.cause) },
})

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
