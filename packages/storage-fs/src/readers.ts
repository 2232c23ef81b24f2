import { availableParallelism } from 'node:os'
import { type Reading, startThread, type Thread } from './Thread.js'

export interface Threads {
  /** Whether a thread would begin a directory at once. Asking starts them. */
  readonly areReady: () => boolean
  /** Whether nothing was given to them lately. */
  readonly areQuiet: () => boolean
  readonly read: (directory: string) => Promise<Reading>
}

/** Who reads one directory after the other asks for the next one within so many milliseconds. */
const latelyMs = 20

interface Settings {
  readonly count?: number
  readonly idleMs?: number
  readonly file?: URL
}

/** A few threads that read directories, from the first reading until there was none for `idleMs`. */
export const threads = ({
  count = Math.max(1, Math.min(2, availableParallelism() - 1)),
  idleMs = 10_000,
  file = new URL('./readingThread.mjs', import.meta.url),
}: Settings = {}): Threads => {
  const running = new Set<Thread>()
  let lastJob = Number.NEGATIVE_INFINITY
  let idle: NodeJS.Timeout | undefined

  const isIdle = (): boolean => [...running].every((thread) => thread.load() === 0)

  const end = (): void => {
    if (!isIdle()) return
    for (const thread of running) thread.end()
    running.clear()
  }

  const rested = (): void => {
    clearTimeout(idle)
    idle = setTimeout(end, idleMs).unref()
  }

  const start = (): void => {
    while (running.size < count) {
      const thread = startThread(file, rested, () => running.delete(thread))
      running.add(thread)
      rested()
    }
  }

  return {
    areQuiet: () => isIdle() && performance.now() - lastJob > latelyMs,
    areReady: () => {
      start()
      return [...running].some((thread) => thread.isReady())
    },
    read: async (directory) => {
      start()
      lastJob = performance.now()
      const [first, ...others] = running
      if (first === undefined) throw new Error('there is no thread to read directories')
      return others.reduce((least, thread) => (thread.load() < least.load() ? thread : least), first).read(directory)
    },
  }
}
