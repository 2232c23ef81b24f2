// Processes that read directories for this one, which holds them open. Unlike a thread a process has a working directory of its
// own: a name is looked up in it at half the cost of a path through `/proc`, and as safely.
import { type ChildProcess, fork } from 'node:child_process'
import { Socket } from 'node:net'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import * as O from 'fp-ts/lib/Option.js'

/** A part of what a directory holds, in a form that passes cheaply from process to process. */
export interface Found {
  /** How many names: of files and directories only. */
  readonly count: number
  /** Each byte a character (latin1), with slashes in between. */
  readonly names: string
  /** For each name its size, 2^64-1 for a directory, and when it was modified, in seconds since 1970. */
  readonly numbers: BigUint64Array<ArrayBuffer>
  /** Whether a file in it has another name elsewhere. */
  readonly otherNames: boolean
  /** How many names are not valid UTF-8. */
  readonly unlistable: number
  /** What could not be looked at: names as above, and what stopped the first look. */
  readonly unknown?: { readonly names: string; readonly trouble: Trouble } | undefined
}

/** What stopped a reading, or a look at an entry: an Error would lose its code on the way. */
export interface Trouble {
  readonly code: string
  readonly message: string
}

export interface Job {
  readonly id: number
  readonly directory: string
  readonly isSnapshot: boolean
  /** After as many milliseconds no one waits for it any more. */
  readonly withinMs: number
}

/** A large directory takes several answers. */
export interface Answer {
  readonly id: number
  readonly parts: ReadonlyArray<Found>
  readonly isLast: boolean
  /** What was sent of this directory is void: it is read again. */
  readonly isVoid: boolean
  readonly trouble?: Trouble
}

/** What a reader found in a directory, or what stopped it. */
export type Outcome = { readonly parts: ReadonlyArray<Found> } | { readonly trouble: Trouble }

interface Reader {
  readonly isReady: () => boolean
  /** How many directories it is reading, or has still to read. */
  readonly load: () => number
  /** `none` when it ended before it was ready: then no process can read here. Rejects when it ends later. */
  readonly read: (directory: string, isSnapshot: boolean) => Promise<O.Option<Outcome>>
  readonly end: () => void
}

interface Waiting {
  /** What has arrived so far. */
  readonly parts: Array<Found>
  readonly answered: (outcome: O.Option<Outcome>) => void
  readonly failed: (why: Error) => void
}

/**
 * Without the environment of this process: there are secrets in it. Without its descriptors: a child that inherits a pipe
 * makes it blocking here too.
 */
const startProcess = (file: URL): ChildProcess => {
  const child = fork(fileURLToPath(file), {
    execArgv: [],
    env: {},
    // The folder that the service was started in may be deleted under it.
    cwd: '/',
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  child.stderr?.on('data', (text) => process.stderr.write(text))
  if (child.stderr instanceof Socket) child.stderr.unref()
  return child
}

interface StartReader {
  readonly file: URL
  /** How long one that has something to read may be silent before it is killed, in milliseconds: stopped, or gone astray. */
  readonly stuckMs: number
  /** How long a directory is waited for, in milliseconds. */
  readonly longestMs: number
  /** Called whenever it has nothing left to read. */
  readonly rested: () => void
  /** Called once. */
  readonly ended: () => void
}

/** Throws when no process can be started. */
const startReader = ({ file, stuckMs, longestMs, rested, ended }: StartReader): Reader => {
  const child = startProcess(file)
  // One that waits for a disk dies when that answers.
  const silence = setTimeout(() => waiting.size > 0 && child.kill('SIGKILL'), stuckMs).unref()
  const waiting = new Map<number, Waiting>()
  /** Sent at the end of this tick's microtasks: waking the reader costs as much as looking at ten entries. */
  const unsent: Array<Job> = []
  let jobs = 0
  let isReady = false
  let isOver = false

  // A child that could not be started has no channel, and one that cannot be reached has ended: events report both.
  const send = (): void => {
    const sent = unsent.splice(0)
    if (child.connected) child.send(sent, () => undefined)
  }

  const receive = ({ id, parts, isLast, isVoid, trouble }: Answer): void => {
    const job = waiting.get(id)
    if (isVoid) job?.parts.splice(0)
    job?.parts.push(...parts)
    if (!isLast) return
    waiting.delete(id)
    job?.answered(O.some(trouble === undefined ? { parts: job.parts } : { trouble }))
  }

  const end = (why: Error): void => {
    if (isOver) return
    isOver = true
    clearTimeout(silence)
    for (const job of waiting.values()) {
      if (isReady) job.failed(why)
      else job.answered(O.none)
    }
    waiting.clear()
    ended()
  }

  // What it says first is that it is ready: an answer to nothing.
  child.on('message', (answers) => {
    isReady = true
    silence.refresh()
    for (const answer of answers as unknown as ReadonlyArray<Answer>) receive(answer)
    if (waiting.size > 0) return
    child.channel?.unref()
    rested()
  })
  child.on('error', end)
  child.once('exit', (code, signal) => end(new Error(`a process that reads directories ended with ${signal ?? code}`)))

  // After the last listener: to listen is to wait. It keeps this process alive only while an answer is waited for.
  child.unref()
  child.channel?.unref()

  return {
    isReady: () => isReady,
    load: () => waiting.size,
    read: (directory, isSnapshot) =>
      new Promise((answered, failed) => {
        if (isOver) return answered(O.none)
        if (waiting.size === 0) silence.refresh()
        const id = jobs
        jobs += 1
        waiting.set(id, { parts: [], answered, failed })
        child.channel?.ref()
        if (unsent.push({ id, directory, isSnapshot, withinMs: longestMs }) === 1) queueMicrotask(send)
      }),
    end: () => {
      if (child.connected) child.disconnect()
    },
  }
}

export interface Readers {
  /** Whether one would begin a directory at once. Asking starts them. */
  readonly areReady: () => boolean
  /** Whether no directory was given to them lately. */
  readonly areQuiet: () => boolean
  /** Once, or as a snapshot. `none` where no other process may read for this one. */
  readonly read: (directory: string, isSnapshot?: boolean) => Promise<O.Option<Outcome>>
}

/** A client that reads one directory after the other asks for the next one within as many milliseconds. */
const latelyMs = 100

/** A process that was started with other rights than this one has now must not read for it. */
const rights = (): string => `${process.geteuid?.()}:${process.getegid?.()}`

interface ReadersOptions extends Partial<Pick<StartReader, 'file' | 'stuckMs' | 'longestMs'>> {
  readonly count?: number
  readonly idleMs?: number
}

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

  const areIdle = (): boolean => [...running].every((reader) => reader.load() === 0)

  const end = (): void => {
    if (!areIdle()) return
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

  return {
    areQuiet: () => areIdle() && performance.now() - lastJob > latelyMs,
    areReady: () => usable().some((reader) => reader.isReady()),
    read: async (directory, isSnapshot = false) => {
      lastJob = performance.now()
      const [first, ...others] = usable()
      if (first === undefined) return O.none
      const leastLoaded = others.reduce((least, reader) => (reader.load() < least.load() ? reader : least), first)
      return leastLoaded.read(directory, isSnapshot)
    },
  }
}
