import { type ChildProcess, fork } from 'node:child_process'
import { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import * as O from 'fp-ts/lib/Option.js'
import type { Answer, Found, Job, Question, Trouble } from './readerMessages.js'

/** What a reader found in a directory, or what stopped it. */
export type Outcome =
  | { readonly parts: ReadonlyArray<Found>; readonly isListed?: boolean | undefined }
  | { readonly trouble: Trouble }

/**
 * A process that reads directories for this one, which holds them open. Unlike a thread it has a working directory of its
 * own: a name is looked up in it at half the cost of a path through `/proc`, and as safely.
 */
export interface Reader {
  readonly isReady: () => boolean
  /** How many directories it is reading, or has still to read. */
  readonly load: () => number
  /** `none` when it ended before it was ready: then nobody could read here. Rejects when it ends later. */
  readonly read: (question: Question) => Promise<O.Option<Outcome>>
  readonly end: () => void
}

interface Waiting {
  /** What has arrived so far. */
  readonly parts: Array<Found>
  readonly answered: (outcome: O.Option<Outcome>) => void
  readonly failed: (why: Error) => void
}

/** Small, because nothing in it lives long. */
const execArgv = ['--max-semi-space-size=4', '--v8-pool-size=1']

/**
 * Without the environment of this process: there are secrets in it. Without its descriptors: a child that inherits a pipe
 * makes it blocking here too.
 */
const startProcess = (file: URL): ChildProcess => {
  const child = fork(fileURLToPath(file), {
    execArgv,
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

const hear = (waiting: Map<number, Waiting>, { id, parts, isLast, isVoid, trouble, isListed }: Answer): void => {
  const job = waiting.get(id)
  if (isVoid) job?.parts.splice(0)
  job?.parts.push(...parts)
  if (!isLast) return
  waiting.delete(id)
  job?.answered(O.some(trouble === undefined ? { parts: job.parts, isListed } : { trouble }))
}

interface StartReader {
  readonly file: URL
  /** After how long without a word one that has something to read is killed, in milliseconds: stopped, or gone astray. */
  readonly stuckMs: number
  /** How long anybody waits for a directory, in milliseconds. */
  readonly longestMs: number
  /** Called whenever it has nothing left to read. */
  readonly rested: () => void
  /** Called once. */
  readonly ended: () => void
}

/** Throws when no process can be started. */
export const startReader = ({ file, stuckMs, longestMs, rested, ended }: StartReader): Reader => {
  const child = startProcess(file)
  // One that waits for a disk dies when that answers.
  const silence = setTimeout(() => waiting.size > 0 && child.kill('SIGKILL'), stuckMs).unref()
  const waiting = new Map<number, Waiting>()
  /** What it is told at the end of this round of microtasks: waking it costs as much as looking at ten entries. */
  const untold: Array<Job> = []
  let jobs = 0
  let isReady = false
  let isOver = false

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

  // Who could not be started has no channel; who cannot be told any more has ended: of both an event tells.
  const tell = (): void => {
    const told = untold.splice(0)
    if (child.connected) child.send(told, () => undefined)
  }

  // What it says first is that it is ready: an answer to nothing.
  child.on('message', (answers) => {
    isReady = true
    silence.refresh()
    for (const answer of answers as unknown as ReadonlyArray<Answer>) hear(waiting, answer)
    if (waiting.size > 0) return
    child.channel?.unref()
    rested()
  })
  child.on('error', end)
  child.once('exit', (code, signal) => end(new Error(`a process that reads directories ended with ${signal ?? code}`)))

  // After the last listener: to listen is to wait. It keeps this process alive only while somebody waits for it.
  child.unref()
  child.channel?.unref()

  return {
    isReady: () => isReady,
    load: () => waiting.size,
    read: (question) =>
      new Promise((answered, failed) => {
        if (isOver) return answered(O.none)
        if (waiting.size === 0) silence.refresh()
        const id = jobs
        jobs += 1
        waiting.set(id, { parts: [], answered, failed })
        child.channel?.ref()
        if (untold.push({ ...question, id, withinMs: longestMs }) === 1) queueMicrotask(tell)
      }),
    end: () => {
      if (child.connected) child.disconnect()
    },
  }
}
