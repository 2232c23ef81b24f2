// Processes that read for this one. A process is killed where its disk hangs; a thread would hold up the exit of this one.
import { closeSync, openSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Area, type Entry, Failure, type Listing, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import pLimit from 'p-limit'
import { Tinypool } from 'tinypool'
import { errorOf, listingOf, type Part, type Trouble, troubleOf } from './readDirectory.js'
import type { StorageRoot } from './StorageRoot.js'

/** What a reader is asked: to call one function of its storage. */
export interface Question {
  readonly id: number
  readonly root: StorageRoot
  readonly ask: 'nodeAt' | 'list' | 'listSnapshot'
  readonly area: Area.Area
  readonly path: StoragePath.StoragePath
}

/** A failure whose cause has crossed from process to process. */
export type PlainFailure =
  | Exclude<Failure.OfStorage, Failure.External>
  | { readonly error: 'external'; readonly trouble: Trouble }

/** The parts of a listing come before it, some thousand entries in a message. */
export type Reply = E.Either<PlainFailure, Entry.Node | 'listed'>

/** Sent to a reader when no one waits any more for the answer to a question. */
export interface Cancel {
  readonly cancel: number
}

type Answer<A> = Promise<E.Either<Failure.OfStorage, A>>

export interface Readers {
  readonly nodeAt: (area: Area.Area, path: StoragePath.StoragePath) => Answer<Entry.Node>
  /** Stops soon after the signal, with whatever answer. */
  readonly list: (
    area: Area.Area,
    path: StoragePath.StoragePath,
    isSnapshot: boolean,
    waiting?: AbortSignal,
  ) => Answer<Listing.Listing>
}

/** In any of the places where this code may be: the package's sources, what is built of them, and the server's bundle. */
const reader = fileURLToPath(new URL('../dist/reader.js', import.meta.url))

const failureOf = (failure: PlainFailure): Failure.OfStorage =>
  failure.error === 'external' ? Failure.external(errorOf(failure.trouble)) : failure

/** Numbers that arrive are views of the whole message, which would stay in memory as long as they do. */
const copied = (part: Part): Part => {
  const { names, starts, numbers } = part.pack
  return { ...part, pack: { names, starts: starts.slice(), numbers: numbers.slice() } }
}

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

const left = new Error('no one waits for the listing any more')
const mixedUp = Failure.external(new Error('a reader answered another question'))

interface ReadersOptions {
  readonly most?: number
  readonly idleMs?: number
  /** After as many milliseconds a reader hangs: it is killed, and the answer is `external`. */
  readonly mostMs?: number
}

/**
 * Processes that hold the storage below `root`, from the first question until there was none for `idleMs` milliseconds. Each
 * answers one question at a time. They have no environment: there are secrets in it.
 */
export const readers = (
  root: StorageRoot,
  { most = 4, idleMs = 60_000, mostMs = 24_000 }: ReadersOptions = {},
): Readers => {
  let pool: Tinypool | undefined
  let questions = 0
  const queued = pLimit(most)
  /** What is asked, and no reader has begun to answer. */
  const waitingForReader = new Set<AbortController>()

  const start = (): Tinypool => {
    const started = new Tinypool({
      filename: reader,
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

  const askOne = async (
    question: Omit<Question, 'id' | 'root'>,
    onParts: (parts: ReadonlyArray<Part>) => void,
    waiting: AbortSignal | undefined,
  ): Promise<Reply> => {
    questions += 1
    const id = questions
    const hangs = new AbortController()
    const timer = setTimeout(() => hangs.abort(new Error(`a directory was not read within ${mostMs} ms`)), mostMs)
    let receive: typeof onParts | undefined = onParts
    let send: ((message: Cancel) => void) | undefined
    const stop = (): void => send?.({ cancel: id })
    waiting?.addEventListener('abort', stop)
    waitingForReader.add(hangs)
    try {
      if (waiting?.aborted === true) throw left
      pool ??= start()
      if (pool.threads.length < queued.activeCount) takeDescriptors()
      return await pool.run({ ...question, root, id } satisfies Question, {
        signal: hangs.signal,
        channel: {
          onMessage: (sender) => {
            waitingForReader.delete(hangs)
            send = sender
            if (waiting?.aborted === true) stop()
          },
          postMessage: (parts: ReadonlyArray<Part>) => receive?.(parts),
        },
      })
    } catch (thrown) {
      return E.left({ error: 'external', trouble: troubleOf(hangs.signal.aborted ? hangs.signal.reason : thrown) })
    } finally {
      clearTimeout(timer)
      // The pool holds the channel until it has the next question: not what came through it.
      receive = undefined
      waitingForReader.delete(hangs)
      waiting?.removeEventListener('abort', stop)
    }
  }

  const ask = (...asked: Parameters<typeof askOne>): Promise<Reply> => queued(() => askOne(...asked))

  return {
    nodeAt: async (area, path) => {
      const reply = await ask({ ask: 'nodeAt', area, path }, () => undefined, undefined)
      if (E.isLeft(reply)) return E.left(failureOf(reply.left))
      return reply.right === 'listed' ? E.left(mixedUp) : E.right(reply.right)
    },
    list: async (area, path, isSnapshot, waiting) => {
      const parts: Array<Part> = []
      const question = { ask: isSnapshot ? 'listSnapshot' : 'list', area, path } as const
      const reply = await ask(question, (some) => parts.push(...some.map(copied)), waiting)
      return E.isLeft(reply) ? E.left(failureOf(reply.left)) : E.right(listingOf(parts))
    },
  }
}
