import { availableParallelism } from 'node:os'
import * as O from 'fp-ts/lib/Option.js'
import { errorOf } from './errorOf.js'
import { type Outcome, type Reader, startReader } from './Reader.js'
import type { Question, Wanted } from './readerMessages.js'

export interface Readers {
  /** Whether one would begin a directory at once. Asking starts them. */
  readonly areReady: () => boolean
  /** Whether nothing was given to them lately. */
  readonly areQuiet: () => boolean
  /** Once, or until it is at rest. `none` where no other process may read for this one. */
  readonly read: (directory: string, untilAtRest?: boolean) => Promise<O.Option<Outcome>>
  /** Whether a directory lists a name. `none` as above; rejects when the directory cannot be read. */
  readonly lists: (directory: string, wanted: Wanted) => Promise<O.Option<boolean>>
}

/** Who reads one directory after the other asks for the next one within so many milliseconds. */
const latelyMs = 100

interface ReadersOptions {
  readonly count?: number
  readonly idleMs?: number
  readonly stuckMs?: number
  readonly longestMs?: number
  readonly file?: URL
}

/** A process that was started with other rights than this one has now must not read for it. */
const rights = (): string => `${process.geteuid?.()}:${process.getegid?.()}`

/** A few processes that read directories, from the first reading until there was none for `idleMs`. */
export const readers = ({
  count = Math.max(1, Math.min(2, availableParallelism() - 1)),
  idleMs = 300_000,
  // Less than a server waits for an answer.
  stuckMs = 20_000,
  // As long as a server waits.
  longestMs = 30_000,
  file = new URL('./reader.mjs', import.meta.url),
}: ReadersOptions = {}): Readers => {
  const running = new Set<Reader>()
  let startedWith = ''
  let lastJob = Number.NEGATIVE_INFINITY
  let nextStart = Number.NEGATIVE_INFINITY
  let idle: NodeJS.Timeout | undefined

  const isIdle = (): boolean => [...running].every((reader) => reader.load() === 0)

  const end = (): void => {
    if (!isIdle()) return
    for (const reader of running) reader.end()
    running.clear()
  }

  const rested = (): void => {
    clearTimeout(idle)
    idle = setTimeout(end, idleMs).unref()
  }

  const startOne = (): void => {
    const ended = (): void => {
      running.delete(reader)
      if (!reader.isReady()) nextStart = performance.now() + idleMs
    }
    const reader: Reader = startReader({ file, stuckMs, longestMs, rested, ended })
    running.add(reader)
    rested()
  }

  /** Those that may read for this process now. */
  const usable = (): ReadonlyArray<Reader> => {
    if (running.size === 0) startedWith = rights()
    if (rights() !== startedWith) return []
    try {
      while (running.size < count && performance.now() >= nextStart) startOne()
    } catch {
      nextStart = performance.now() + idleMs
    }
    return [...running]
  }

  const ask = async (question: Question): Promise<O.Option<Outcome>> => {
    lastJob = performance.now()
    const [first, ...others] = usable()
    if (first === undefined) return O.none
    return others.reduce((least, reader) => (reader.load() < least.load() ? reader : least), first).read(question)
  }

  return {
    areQuiet: () => isIdle() && performance.now() - lastJob > latelyMs,
    areReady: () => usable().some((reader) => reader.isReady()),
    read: (directory, untilAtRest = false) => ask({ directory, untilAtRest }),
    lists: async (directory, wanted) => {
      const outcome = await ask({ directory, untilAtRest: false, wanted })
      if (O.isSome(outcome) && 'trouble' in outcome.value) throw errorOf(outcome.value.trouble)
      return O.map(({ isListed }: Outcome & { readonly isListed?: boolean | undefined }) => isListed === true)(outcome)
    },
  }
}
