import type { Cluster } from 'node:cluster'
import { write } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pino, { type Logger, type LoggerOptions } from 'pino'

/** Decodes every well-formed escape, because a malformed one must not hide the others. */
const decodedOnce = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** More than clients use. A long target could be escaped thousands of times, and each layer takes as long to decode. */
const maxLayers = 8

/** Returns a text without its escapes, also if they are escaped themselves. `undefined` beyond some layers. */
export const decoded = (text: string, layers = maxLayers): string | undefined => {
  const once = decodedOnce(text)
  return once === text ? text : layers === 0 ? undefined : decoded(once, layers - 1)
}

/** The prefix of a token, or its 43 characters of base64url without the prefix, alone or in a longer run. */
const token = /cnp_|[\w-]{43}/i

/** 16 bytes in base64url, as `canopy trigger create` creates them. An id that an operator chose may look like any name. */
const triggerId = /(?<![\w-])[\w-]{21}[AQgw](?![\w-])/

/** Returns the replacement of a word that may contain a secret. `undefined` for any other word. */
const replacement = (word: string): string | undefined => {
  if (word.length < 22 && !word.includes('%') && !word.includes('_')) return undefined
  const text = decoded(word)
  if (text === undefined) return '[escapes]'
  // An encoded slash may be in the middle of a secret.
  if (token.test(text) || token.test(text.replaceAll('/', ''))) return '[token]'
  return triggerId.test(text) ? '[trigger id]' : undefined
}

/** Reports whether a text without spaces may contain a token or a trigger id, in any spelling. */
export const holdsSecret = (text: string): boolean => replacement(text) !== undefined

/**
 * Replaces each word that looks like a token or a trigger id, in any spelling. Hiding a long name does no harm. Showing a
 * secret does.
 */
export const redact = (text: string): string => text.replace(/[\w%-]+/g, (word) => replacement(word) ?? word)

/** A first, loose test: few lines match, and it is three times as fast as testing every word. */
const suspect = /%|cnp_|(?<![\w-])(?:[\w-]{21,26}[AQgw](?![\w-])|[\w-]{43})/i

/** Redacts JSON, which stays JSON. The letter of an escape such as `\n` is not part of the next word. */
export const redactJson = (json: string): string =>
  suspect.test(json)
    ? json.replace(/\\(?:u[0-9a-f]{4}|.)|[\w%-]+/gi, (word) =>
        word.startsWith('\\') ? word : (replacement(word) ?? word),
      )
    : json

export interface Log {
  readonly log: Logger
  /** Writes whole lines of another process. */
  readonly pass: (lines: string) => void
  /** Resolves when every line is written, immediately when writing fails, and after a second in any case. */
  readonly written: () => Promise<void>
}

/** Secrets are redacted here, in every field of a line. */
export const logTo = (options: LoggerOptions, pass: (line: string) => void): Logger =>
  pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line: string) => pass(redactJson(line)) })

const maxWaitingBytes = 8 * 1024 * 1024

/**
 * Opens a log that delays neither requests nor the end of the process. Lines wait while the disk is full or the reader of a
 * pipe has stopped. Over the limit they are lost, and a later line has their number. The descriptor must be that of an open
 * stream: Node makes a pipe or a socket non-blocking when it opens the stream, and a blocking write would block a thread of the
 * process. A child process that inherits it would make it blocking again.
 */
export const openLog = (options: LoggerOptions, fd: number, maxBytes = maxWaitingBytes): Log => {
  const writer = new LineWriter(fd, maxBytes, (lost) => log.warn({ lost }, 'log lines lost'))
  const pass = (lines: string): void => writer.add(lines)
  const log = logTo(options, pass)
  return { log, pass, written: () => untilOrTimeout(() => writer.isIdle) }
}

// All in milliseconds.
/** Lines within this time are written together, because each write wakes another thread. */
const gatherMs = 5
/** Before a full pipe is tried again. */
const fullMs = 10
/** Before a full disk or a pipe without a reader is tried again. */
const failedMs = 1_000
/** How long an ending process waits for a slow reader, or for the last output of workers. */
const endMs = 1_000

const untilOrTimeout = async (holds: () => boolean): Promise<void> => {
  const end = performance.now() + endMs
  while (!holds() && performance.now() < end) await sleep(5)
}

const writeSome = promisify(write)

class LineWriter {
  readonly #fd: number
  readonly #maxBytes: number
  readonly #onLost: (lines: number) => void
  #waiting: Array<string> = []
  #bytes = 0
  #lost = 0
  #isWriting = false
  #isFailing = false

  constructor(fd: number, maxBytes: number, onLost: (lines: number) => void) {
    this.#fd = fd
    this.#maxBytes = maxBytes
    this.#onLost = onLost
  }

  /** Reports whether waiting longer would write no more. */
  get isIdle(): boolean {
    return !this.#isWriting || this.#isFailing
  }

  add(lines: string): void {
    const size = Buffer.byteLength(lines)
    if (this.#bytes + size > this.#maxBytes) {
      this.#lost += lines.split('\n').length - 1
      return
    }
    this.#bytes += size
    this.#waiting.push(lines)
    if (!this.#isWriting) void this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    this.#isWriting = true
    while (this.#waiting.length > 0) {
      await sleep(gatherMs)
      let text = Buffer.from(this.#waiting.join(''))
      this.#waiting = []
      while (text.length > 0) {
        const written = await this.#tryToWrite(text)
        text = text.subarray(written)
        this.#bytes -= written
      }
    }
    this.#isWriting = false
    const lost = this.#lost
    this.#lost = 0
    if (lost > 0) this.#onLost(lost)
  }

  /** Resolves with the number of bytes that were written. */
  async #tryToWrite(text: Buffer): Promise<number> {
    try {
      const { bytesWritten } = await writeSome(this.#fd, text)
      this.#isFailing = false
      return bytesWritten
    } catch (thrown) {
      this.#isFailing = (thrown as NodeJS.ErrnoException).code !== 'EAGAIN'
      await sleep(this.#isFailing ? failedMs : fullMs)
      return 0
    }
  }
}

const secondMs = 1_000

/** Logs at most one line a second, with the number of events, because under overload very many requests may have the same one. */
export const lineASecond = (log: Logger, field: 'refused' | 'cut', message: string): (() => void) => {
  let count = 0
  return () => {
    count += 1
    if (count > 1) return
    setTimeout(() => {
      log.warn({ [field]: count, ms: secondMs }, message)
      count = 0
    }, secondMs).unref()
  }
}

/**
 * Forwards the output of workers, because only one process has the descriptors of the log, and lines of several processes would
 * mix. The result resolves when the last output of exited workers is forwarded.
 */
export const relayWorkers = (
  cluster: Cluster,
  { pass }: Log,
  writeError: (text: string) => void,
): (() => Promise<void>) => {
  const open = new Set<Readable>()
  const relay = (stream: Readable | null, onText: (text: string) => void): void => {
    if (stream === null) return
    open.add(stream)
    stream.once('close', () => open.delete(stream))
    stream.setEncoding('utf8').on('data', onText)
  }
  cluster.on('fork', ({ process: { stdout, stderr } }) => {
    relay(stdout, wholeLines(pass))
    relay(stderr, writeError)
  })
  return () => untilOrTimeout(() => open.size === 0)
}

const wholeLines = (pass: (lines: string) => void): ((text: string) => void) => {
  let rest = ''
  return (text) => {
    const all = rest + text
    const end = all.lastIndexOf('\n') + 1
    rest = all.slice(end)
    if (end > 0) pass(all.slice(0, end))
  }
}
