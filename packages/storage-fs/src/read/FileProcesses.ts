import { type ChildProcess, fork } from 'node:child_process'
import { type Area, Failure, type OpenedFile, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { readerFile } from '../readerFile.js'
import type { StorageRoot } from '../StorageRoot.js'
import { type Answer, chunksOf } from './openEntry.js'
import { failureOf, type PlainFailure } from './PlainFailure.js'

/** A request to a file process. A file has the number of the message that opened it. */
export type FileQuestion =
  | {
      readonly ask: 'open'
      readonly root: StorageRoot
      readonly area: Area.Area
      readonly path: StoragePath.StoragePath
    }
  | { readonly ask: 'read'; readonly file: number; readonly start: bigint; readonly end: bigint }
  | { readonly ask: 'close'; readonly file: number }

export interface FileMessage {
  readonly number: number
  readonly question: FileQuestion
}

export type FileFacts = Pick<OpenedFile, 'size' | 'last_modified' | 'version'>

export interface FileReply {
  readonly number: number
  readonly reply: E.Either<PlainFailure, FileFacts | Uint8Array | null>
}

interface FileProcessesOptions {
  /** A process that answers one question for longer is killed, and each of its files fails. */
  readonly maxMs?: number | undefined
  /** A process without an open file ends after this time. */
  readonly idleMs?: number | undefined
}

const maxProcesses = 2

/**
 * Opens and reads the files of one network or FUSE mount in child processes, which can be killed when the mount hangs. No thread
 * of this process waits for the mount. The processes have no environment, because there are secrets in it.
 */
export class FileProcesses {
  readonly #root: StorageRoot
  readonly #options: Required<{ [Name in keyof FileProcessesOptions]: number }>
  /** Includes killed processes until they exit: one that waits for its mount inside the kernel cannot. */
  readonly #processes = new Set<FileProcess>()

  constructor(root: StorageRoot, { maxMs = 24_000, idleMs = 60_000 }: FileProcessesOptions = {}) {
    this.#root = root
    this.#options = { maxMs, idleMs }
  }

  async openFile(area: Area.Area, path: StoragePath.StoragePath): Promise<Answer<OpenedFile>> {
    const process = this.#leastBusy()
    return process === undefined ? E.left(allHang) : process.openFile({ ask: 'open', root: this.#root, area, path })
  }

  #leastBusy(): FileProcess | undefined {
    const [first] = [...this.#processes]
      .filter(({ isKilled }) => !isKilled)
      .sort((one, other) => one.openCount - other.openCount)
    if (first?.openCount === 0 || this.#processes.size >= maxProcesses) return first
    const started = new FileProcess(this.#options, () => this.#processes.delete(started))
    this.#processes.add(started)
    return started
  }
}

const allHang = Failure.external(new Error('the mount does not answer, and the processes that read its files hang'))

class FileProcess {
  /** Files that are open or being opened. */
  openCount = 0
  readonly #child: ChildProcess
  readonly #options: Required<{ [Name in keyof FileProcessesOptions]: number }>
  readonly #pending = new Map<number, (reply: FileReply['reply']) => void>()
  #lastNumber = 0
  #idle: NodeJS.Timeout | undefined

  constructor(options: Required<{ [Name in keyof FileProcessesOptions]: number }>, onExit: () => void) {
    this.#options = options
    this.#child = fork(readerFile, ['files'], {
      serialization: 'advanced',
      env: {},
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    const end = (message: string): void => {
      this.#fail(message)
      onExit()
    }
    this.#child
      .on('message', ({ number, reply }: FileReply) => this.#settle(number, reply))
      .on('error', (cause) => end(`a process to read files did not start: ${cause.message}`))
      .on('exit', () => end('the process that read the file ended'))
      .unref()
    this.#child.channel?.unref()
  }

  get isKilled(): boolean {
    return this.#child.killed || !this.#child.connected
  }

  async openFile(question: FileQuestion): Promise<Answer<OpenedFile>> {
    this.openCount += 1
    clearTimeout(this.#idle)
    const file = this.#lastNumber + 1
    const opened = await this.#ask<FileFacts>(question)
    let isOpen = true
    const close = async (): Promise<void> => {
      if (!isOpen) return
      isOpen = false
      this.#release()
      void this.#ask({ ask: 'close', file })
    }
    if (E.isLeft(opened)) {
      this.#release()
      return opened
    }
    const readChunk = (start: bigint, end: bigint) =>
      this.#ask<Uint8Array>({ ask: 'read', file, start, end }).then(E.mapLeft(asExternal))
    return E.right({
      ...opened.right,
      bytes: (start, end, signal) => chunksOf(readChunk, start, end, signal),
      close,
    })
  }

  #ask<A extends FileFacts | Uint8Array | null>(question: FileQuestion): Promise<Answer<A>> {
    this.#lastNumber += 1
    const number = this.#lastNumber
    return new Promise((resolve) => {
      const { maxMs } = this.#options
      const timer = setTimeout(() => {
        this.#child.kill('SIGKILL')
        this.#fail(`the mount left a file unread for ${maxMs} ms`)
      }, maxMs).unref()
      this.#pending.set(number, (reply) => {
        clearTimeout(timer)
        resolve(pipe(reply as E.Either<PlainFailure, A>, E.mapLeft(failureOf)))
      })
      if (this.isKilled) this.#fail('the process that read the file ended')
      else this.#child.send({ number, question } satisfies FileMessage, () => undefined)
    })
  }

  #settle(number: number, reply: FileReply['reply']): void {
    this.#pending.get(number)?.(reply)
    this.#pending.delete(number)
  }

  #fail(message: string): void {
    const cause = { code: '', message }
    for (const number of this.#pending.keys()) this.#settle(number, E.left({ error: 'external', cause }))
  }

  #release(): void {
    this.openCount -= 1
    if (this.openCount > 0) return
    this.#idle = setTimeout(() => this.#child.connected && this.#child.disconnect(), this.#options.idleMs).unref()
  }
}

const asExternal = (failure: Failure.OfStorage): Failure.External =>
  failure.error === 'external' ? failure : Failure.external(new Error(failure.error))
