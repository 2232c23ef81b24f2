// Processes that read for this one. A process is killed where its disk hangs; a thread would hold up the exit of this one.
import { closeSync, openSync } from 'node:fs'
import { type Area, type Entry, Failure, type Listing, type Signal, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import pLimit from 'p-limit'
import { Tinypool } from 'tinypool'
import { readerFile } from '../readerFile.js'
import type { StorageRoot } from '../StorageRoot.js'
import { type Packed, PackedEntries } from './directory.js'
import type { FsStorage } from './fsStorage.js'

/** Whether the storage can be reached, or a call of one of its functions. */
export type Asked =
  | { readonly ask: 'reachable' }
  | { readonly ask: keyof FsStorage; readonly area: Area.Area; readonly path: StoragePath.StoragePath }

/** What a reader is asked. */
export interface Question {
  readonly id: number
  readonly root: StorageRoot
  readonly asked: Asked
}

/** What was thrown. An Error would lose its code on the way from process to process. */
export interface Trouble {
  /** Such as `EACCES`; empty when it is no failure of the system. */
  readonly code: string
  readonly message: string
}

export type PlainFailure =
  | Exclude<Failure.OfStorage, Failure.External>
  | { readonly error: 'external'; readonly trouble: Trouble }

export interface PlainListing {
  readonly packed: Packed
  readonly unlistable: number
  readonly unknown: { readonly names: Listing.Unknown['names']; readonly trouble: Trouble } | undefined
}

export type Answered = Entry.Node | PlainListing | null

export type Reply<A> = E.Either<PlainFailure, A>

/** Sent to a reader when no one waits any more for the answer to a question. */
export interface Cancel {
  readonly cancel: number
}

/** As it was thrown where the directory was read. */
const errorOf = ({ code, message }: Trouble): Error => Object.assign(new Error(message), code && { code })

const failureOf = (failure: PlainFailure): Failure.OfStorage =>
  failure.error === 'external' ? Failure.external(errorOf(failure.trouble)) : failure

/** Numbers that arrive are views of the whole message, which would stay in memory as long as they do. */
const listingOf = (listing: PlainListing): Listing.Listing => {
  const { packed, unlistable, unknown } = listing
  // The pool holds the reply beyond the answer: its listing is taken out.
  Object.assign(listing, { packed: undefined })
  return {
    entries: new PackedEntries({ ...packed, starts: packed.starts.slice(), numbers: packed.numbers.slice() }),
    unlistable,
    unknown: unknown && { names: unknown.names, cause: errorOf(unknown.trouble) },
  }
}

const cancelled = new Error('the client left before the directory was read')

/** More than a process takes to start. */
const startDescriptors = 16

/** Throws where too few are left: tinypool has no listener yet for what Node says of it, which would end this process. */
const takeDescriptors = (): void => {
  const opened: Array<number> = []
  try {
    while (opened.length < startDescriptors) opened.push(openSync('/dev/null', 'r'))
  } finally {
    for (const fd of opened) closeSync(fd)
  }
}

interface ReadersOptions {
  readonly most?: number
  readonly idleMs?: number
  /** After as many milliseconds a reader hangs: it is killed, and the answer is `external`. */
  readonly mostMs?: number
}

export interface Readers extends FsStorage {
  /** As `storageReachable`. */
  readonly reachable: TE.TaskEither<Failure.External, unknown>
}

/**
 * The storage below `root`, asked in other processes, from the first question until there was none for `idleMs` milliseconds.
 * Each answers one question at a time, and stops reading soon after no one waits. They have no environment: there are secrets in it.
 */
export const readers = (
  root: StorageRoot,
  { most = 4, idleMs = 60_000, mostMs = 24_000 }: ReadersOptions = {},
): Readers => {
  let pool: Tinypool | undefined
  let questions = 0
  /** Asked, and not begun. */
  const waitingForReader = new Set<AbortController>()
  const queued = pLimit(most)

  const start = (): Tinypool => {
    const started = new Tinypool({
      filename: readerFile,
      name: 'answer',
      runtime: 'child_process',
      serialization: 'advanced',
      env: {},
      execArgv: [],
      minThreads: 0,
      maxThreads: most,
      idleTimeout: idleMs,
    })
    // One that could not be started leaves its question in the pool's queue.
    started.on('error', (cause) => {
      for (const question of waitingForReader) question.abort(cause)
    })
    return started
  }

  const answerOf = async <A extends Answered>(
    asked: Asked,
    signal?: Signal,
  ): Promise<E.Either<Failure.OfStorage, A>> => {
    questions += 1
    const id = questions
    const hangs = new AbortController()
    const timer = setTimeout(() => hangs.abort(new Error(`a directory was not read within ${mostMs} ms`)), mostMs)
    let send: ((message: Cancel) => void) | undefined
    const stop = (): void => send?.({ cancel: id })
    signal?.addEventListener('abort', stop)
    waitingForReader.add(hangs)
    try {
      if (signal?.aborted === true) throw cancelled
      pool ??= start()
      if (pool.threads.length < queued.activeCount) takeDescriptors()
      const reply: Reply<A> = await pool.run({ asked, root, id } satisfies Question, {
        signal: hangs.signal,
        channel: {
          onMessage: (sender) => {
            waitingForReader.delete(hangs)
            send = sender
            if (signal?.aborted === true) stop()
          },
        },
      })
      return E.mapLeft(failureOf)(reply)
    } catch (thrown) {
      return E.left(Failure.external(hangs.signal.aborted ? hangs.signal.reason : thrown))
    } finally {
      clearTimeout(timer)
      waitingForReader.delete(hangs)
      signal?.removeEventListener('abort', stop)
    }
  }

  const list =
    (ask: 'list' | 'listSnapshot'): FsStorage['list'] =>
    (area, path, { signal } = {}) =>
    async () =>
      E.map(listingOf)(await queued(() => answerOf<PlainListing>({ ask, area, path }, signal)))

  return {
    reachable: async () =>
      E.mapLeft((failure: Failure.OfStorage) => (failure.error === 'external' ? failure : Failure.external(failure)))(
        await queued(() => answerOf({ ask: 'reachable' })),
      ),
    nodeAt: (area, path) => () => queued(() => answerOf<Entry.Node>({ ask: 'nodeAt', area, path })),
    list: list('list'),
    listSnapshot: list('listSnapshot'),
  }
}
