import { type ChildProcess, fork } from 'node:child_process'
import { Failure } from '@canopy/domain'
import { readerFile } from '../readerFile.js'
import type { StorageResult } from '../StorageResult.js'
import type { StorageRoot } from '../StorageRoot.js'
import { answerOf, type Cancel, type Found, type Question, type Questions, type Replies } from './messages.js'

/** Below the server's limit on one port call, 25 s, so that the logged cause names the path that hangs. */
const maxReadMs = 24_000

export interface ReaderOptions {
  /** A process that sends no answer for longer is killed. */
  readonly maxMs?: number | undefined
  /** A process without a question or an open file ends after this time. */
  readonly idleMs?: number | undefined
}

interface PendingAnswer {
  readonly resolve: (answer: StorageResult<never>) => void
  readonly reject: (cause: Error) => void
}

/**
 * A child process that reads directories and files. It can be killed when its disk hangs; a thread cannot. It has no
 * environment, because there are secrets in it. It keeps this process alive only during a question.
 */
export class ReaderProcess {
  /** Files that are open or being opened, by the number of the question that opens them. */
  readonly openFiles = new Set<number>()
  readonly #root: StorageRoot
  readonly #maxMs: number
  readonly #idleMs: number
  readonly #child: ChildProcess
  readonly #pending = new Map<number, PendingAnswer>()
  readonly #unsent: Array<Questions['questions'][number]> = []
  #lastNumber = 0
  #timer: NodeJS.Timeout | undefined

  /**
   * Adds the process to `living` until it has exited. One that is killed while it waits inside the kernel stays. Throws some failures
   * of the system; `answer` rejects with the others.
   */
  constructor(root: StorageRoot, { maxMs = maxReadMs, idleMs = 60_000 }: ReaderOptions, living: Set<ReaderProcess>) {
    this.#root = root
    this.#maxMs = maxMs
    this.#idleMs = idleMs
    this.#child = fork(readerFile, {
      serialization: 'advanced',
      env: {},
      execArgv: [],
      // A process that hangs would keep an inherited stream of this process open.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    const end = (cause: Error): void => {
      this.#fail(cause)
      living.delete(this)
    }
    this.#child
      .on('message', (replies: Replies) => this.#settle(replies))
      .on('error', end)
      .on('exit', () => end(ended))
      .unref()
    living.add(this)
    this.#restartTimer()
  }

  get isUsable(): boolean {
    return this.#child.pid !== undefined && this.#child.connected && !this.#child.killed
  }

  /** Sends the questions of one run of synchronous code in one message. `answer` rejects if the process dies, hangs or does not start. */
  ask<A extends Found>(question: Question): { readonly number: number; readonly answer: Promise<StorageResult<A>> } {
    this.#lastNumber += 1
    const number = this.#lastNumber
    if (this.#unsent.push([number, question]) === 1) queueMicrotask(() => this.#send())
    return { number, answer: new Promise((resolve, reject) => this.#pending.set(number, { resolve, reject })) }
  }

  cancel(number: number): void {
    if (this.isUsable && this.#pending.has(number))
      this.#child.send({ cancelled: number } satisfies Cancel, () => undefined)
  }

  #send(): void {
    const questions = this.#unsent.splice(0)
    // A later question does not prolong the time of an earlier one.
    if (this.#pending.size === questions.length) this.#restartTimer()
    if (this.isUsable) this.#child.send({ root: this.#root, questions } satisfies Questions, () => undefined)
    // The error of a process that did not start arrives later.
    else if (this.#child.pid !== undefined) this.#fail(ended)
  }

  #settle(replies: Replies): void {
    for (const [number, reply] of replies) {
      this.#pending.get(number)?.resolve(answerOf(reply) as StorageResult<never>)
      this.#pending.delete(number)
    }
    this.#restartTimer()
  }

  #restartTimer(): void {
    const isIdle = this.#pending.size === 0
    if (isIdle) this.#child.channel?.unref()
    else this.#child.channel?.ref()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (isIdle ? this.#end() : this.#kill()), isIdle ? this.#idleMs : this.#maxMs).unref()
  }

  #end(): void {
    if (this.openFiles.size === 0 && this.#child.connected) this.#child.disconnect()
  }

  #kill(): void {
    this.#child.kill('SIGKILL')
    this.#fail(new Error(`a directory or file was not read within ${this.#maxMs} ms`))
  }

  #fail(cause: Error): void {
    clearTimeout(this.#timer)
    for (const { reject } of this.#pending.values()) reject(cause)
    this.#pending.clear()
  }
}

const ended = new Error('the reader process ended unexpectedly')

export const allHang = Failure.external(
  new Error('the disk or mount does not respond, and all processes that read it are stuck'),
)
