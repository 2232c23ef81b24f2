import { write } from 'node:fs'
import pino, { type Logger, type LoggerOptions } from 'pino'
import { redactJson } from './redact.js'

interface LogOutput {
  readonly fd: number
  /** As many bytes wait while they cannot be written: the disk is full, or the reader of a pipe has stopped. */
  readonly mostWaiting: number
}

export interface Log {
  readonly log: Logger
  /** Writes whole lines of another process. */
  readonly pass: (lines: string) => void
  /** Resolves when every line is written, at once when writing fails, and after a second in any case. */
  readonly written: () => Promise<void>
}

/**
 * Node makes a pipe or a socket non-blocking when it opens the stream of it. A write that blocks would keep a thread, and the
 * process does not end before its threads do. No child process may inherit it, since that makes it blocking again.
 */
const standardOutput = (): LogOutput => ({ fd: process.stdout.fd, mostWaiting: 8 * 1024 * 1024 })

/** Until a full pipe is tried again, in milliseconds. */
const fullMs = 10

/** The same for what fails otherwise: a full disk, a pipe without a reader. */
const failedMs = 1_000

/** How long the end of the process waits for a reader that is slow, in milliseconds. */
const endMs = 1_000

const linesIn = (text: string): number => text.split('\n').length - 1

/** Secrets are redacted here, in whatever field of a line they are. */
export const logTo = (options: LoggerOptions, pass: (line: string) => void): Logger =>
  pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line: string) => pass(redactJson(line)) })

/**
 * A log that holds up nothing: neither a request nor the end of the process. Lines that cannot be written wait; those that
 * find no room are lost, and their number is logged later.
 */
export const openLog = (options: LoggerOptions, { fd, mostWaiting }: LogOutput = standardOutput()): Log => {
  let waiting: Array<string> = []
  let bytes = 0
  let lost = 0
  let isWriting = false
  let fails = false
  let settled: (() => void) | undefined

  const writeAll = (text: Buffer, from: number): void => {
    write(fd, text, from, (error, count) => {
      fails = error !== null && error.code !== 'EAGAIN'
      if (fails) settled?.()
      if (error !== null) {
        setTimeout(writeAll, fails ? failedMs : fullMs, text, from).unref()
        return
      }
      bytes -= count
      if (from + count < text.length) writeAll(text, from + count)
      else next()
    })
  }

  const next = (): void => {
    isWriting = waiting.length > 0
    if (isWriting) {
      const text = Buffer.from(waiting.join(''))
      waiting = []
      writeAll(text, 0)
    } else if (lost > 0) {
      const count = lost
      lost = 0
      log.warn({ lost: count }, 'the log could not be written for a while')
    } else settled?.()
  }

  const pass = (lines: string): void => {
    const size = Buffer.byteLength(lines)
    if (bytes + size > mostWaiting) {
      lost += linesIn(lines)
      return
    }
    bytes += size
    waiting.push(lines)
    if (!isWriting) next()
  }

  const log = logTo(options, pass)

  return {
    log,
    pass,
    written: () =>
      new Promise((resolve) => {
        if (!isWriting || fails) return resolve()
        settled = resolve
        setTimeout(resolve, endMs)
      }),
  }
}
