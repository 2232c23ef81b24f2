import { Worker } from 'node:worker_threads'
import type { Answer, Found, Job, Trouble } from './Found.js'

/** What a thread found in a directory, or what stopped it. */
export type Reading = { readonly parts: ReadonlyArray<Found> } | { readonly trouble: Trouble }

/** A thread that reads directories. It keeps the process alive only while somebody waits for it. */
export interface Thread {
  readonly isReady: () => boolean
  /** How many directories it is reading, or has still to read. */
  readonly load: () => number
  /** Rejects when the thread dies, whatever it dies of. */
  readonly read: (directory: string) => Promise<Reading>
  readonly end: () => void
}

interface Waiting {
  /** What has arrived so far. */
  readonly parts: Array<Found>
  readonly answered: (reading: Reading) => void
  readonly died: (why: Error) => void
}

/** Small, because nothing in it lives long. At its default size each thread would take some ten megabytes more. */
const resourceLimits = { maxYoungGenerationSizeMb: 8 }

const hear = (waiting: Map<number, Waiting>, { id, parts, isLast, trouble }: Answer): void => {
  const job = waiting.get(id)
  job?.parts.push(...parts)
  if (!isLast) return
  waiting.delete(id)
  job?.answered(trouble === undefined ? { parts: job.parts } : { trouble })
}

/** Calls `rested` whenever it has nothing left to read, and `died` once. */
export const startThread = (file: URL, rested: () => void, died: () => void): Thread => {
  const worker = new Worker(file, { execArgv: [], resourceLimits })
  const waiting = new Map<number, Waiting>()
  /** What it is told at the end of this round of microtasks: waking it costs as much as looking at ten entries. */
  const untold: Array<Job> = []
  let jobs = 0
  let isReady = false

  const die = (why: Error): void => {
    for (const job of waiting.values()) job.died(why)
    waiting.clear()
    died()
  }

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows: threads have no origin
  const tell = (): void => worker.postMessage(untold.splice(0))

  worker.once('online', () => {
    isReady = true
  })
  worker.on('message', (answers: ReadonlyArray<Answer>) => {
    for (const answer of answers) hear(waiting, answer)
    if (waiting.size > 0) return
    worker.unref()
    rested()
  })
  worker.once('error', die)
  worker.once('exit', (code) => die(new Error(`a thread that reads directories ended with code ${code}`)))

  // After the last listener: to listen is to wait.
  worker.unref()

  return {
    isReady: () => isReady,
    load: () => waiting.size,
    read: (directory) =>
      new Promise((answered, rejected) => {
        const id = jobs
        jobs += 1
        waiting.set(id, { parts: [], answered, died: rejected })
        worker.ref()
        if (untold.push({ id, directory }) === 1) queueMicrotask(tell)
      }),
    end: () => void worker.terminate(),
  }
}
