import type { Cluster } from 'node:cluster'
import { write } from 'node:fs'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pino, { type Logger, type LoggerOptions } from 'pino'

/** Each well-formed escape, wherever it is: one that is malformed must not hide the others. */
const decodedOnce = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

/** More than any client escapes. A long target could be escaped thousands of times, each as long to decode. */
const mostLayers = 8

/** A text without its escapes, however often they are escaped; `undefined` for what is still escaped after some layers. */
export const decoded = (text: string, layers = mostLayers): string | undefined => {
  const once = decodedOnce(text)
  return once === text ? text : layers === 0 ? undefined : decoded(once, layers - 1)
}

/** The prefix of a token, or as many characters of base64url as follow it, alone or in a longer run. */
const token = /cnp_|[\w-]{43}/i

/** 16 bytes in base64url, as `canopy trigger create` makes them. One that an operator chose looks like any name. */
const triggerId = /(?<![\w-])[\w-]{21}[AQgw](?![\w-])/

/** What replaces a word that may hold a secret; `undefined` for any other word. */
const replacement = (word: string): string | undefined => {
  if (word.length < 22 && !word.includes('%') && !word.includes('_')) return undefined
  const text = decoded(word)
  if (text === undefined) return '[escapes]'
  // An encoded slash may be in the middle of a secret.
  if (token.test(text) || token.test(text.replaceAll('/', ''))) return '[token]'
  return triggerId.test(text) ? '[trigger id]' : undefined
}

/** Whether a text without spaces holds what may be a token or a trigger id, in any spelling. */
export const holdsSecret = (text: string): boolean => replacement(text) !== undefined

/**
 * A text as the outside may see it: each word that looks like a token or a trigger id, in any spelling, is replaced. Hiding a
 * long name that is none does no harm; showing a secret does.
 */
export const redact = (text: string): string => text.replace(/[\w%-]+/g, (word) => replacement(word) ?? word)

/** A first, loose test: few lines match, and it is three times as fast as a look at every word. */
const suspect = /%|cnp_|(?<![\w-])(?:[\w-]{21,26}[AQgw](?![\w-])|[\w-]{43})/i

/** The same for JSON, which stays JSON: the letter of an escape such as `\n` is no part of the word behind it. */
export const redactJson = (json: string): string =>
  suspect.test(json)
    ? json.replace(/\\(?:u[0-9a-f]{4}|.)|[\w%-]+/gi, (word) =>
        word.startsWith('\\') ? word : (replacement(word) ?? word),
      )
    : json

interface LogOutput {
  readonly fd: number
  /** At most this many bytes wait while they cannot be written: the disk is full, or the reader of a pipe has stopped. */
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
 * Node makes a pipe or a socket non-blocking when it opens the stream of it. A write that blocks would hold a thread, and the
 * process does not end before its threads do. No child process may inherit it, since that makes it blocking again.
 */
const standardOutput = (): LogOutput => ({ fd: process.stdout.fd, mostWaiting: 8 * 1024 * 1024 })

// All in milliseconds.
/** Lines that come within this time are written together: each write wakes another thread. */
const gatherMs = 5
/** Until a full pipe is tried again. */
const fullMs = 10
/** The same for what fails otherwise: a full disk, a pipe without a reader. */
const failedMs = 1_000
/** How long the end of the process waits for a reader that is slow, or for the last words of workers. */
const endMs = 1_000

/** Waits until this holds, or the end of the process can wait no longer. */
const atEnd = async (holds: () => boolean): Promise<void> => {
  const end = performance.now() + endMs
  while (!holds() && performance.now() < end) await sleep(5)
}

/** Secrets are redacted here, in whatever field of a line they are. */
export const logTo = (options: LoggerOptions, pass: (line: string) => void): Logger =>
  pino({ ...options, timestamp: pino.stdTimeFunctions.isoTime }, { write: (line: string) => pass(redactJson(line)) })

const writeSome = promisify(write)

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

  /** How many bytes of it were written. */
  const tryToWrite = async (text: Buffer): Promise<number> => {
    try {
      const { bytesWritten } = await writeSome(fd, text)
      fails = false
      return bytesWritten
    } catch (thrown) {
      fails = (thrown as NodeJS.ErrnoException).code !== 'EAGAIN'
      await sleep(fails ? failedMs : fullMs)
      return 0
    }
  }

  const writeAll = async (): Promise<void> => {
    isWriting = true
    while (waiting.length > 0) {
      await sleep(gatherMs)
      let text = Buffer.from(waiting.join(''))
      waiting = []
      while (text.length > 0) {
        const written = await tryToWrite(text)
        text = text.subarray(written)
        bytes -= written
      }
    }
    isWriting = false
    if (lost === 0) return
    const count = lost
    lost = 0
    log.warn({ lost: count }, 'the log could not be written for a while')
  }

  const pass = (lines: string): void => {
    const size = Buffer.byteLength(lines)
    if (bytes + size > mostWaiting) {
      lost += lines.split('\n').length - 1
      return
    }
    bytes += size
    waiting.push(lines)
    if (!isWriting) void writeAll()
  }

  const log = logTo(options, pass)
  return { log, pass, written: () => atEnd(() => !isWriting || fails) }
}

const everyMs = 1_000

/** One line a second says how often something happened that an overload does to very many requests. */
export const lineASecond = (log: Logger, what: 'refused' | 'cut', message: string): (() => void) => {
  let count = 0
  return () => {
    count += 1
    if (count > 1) return
    setTimeout(() => {
      log.warn({ [what]: count, ms: everyMs }, message)
      count = 0
    }, everyMs).unref()
  }
}

/**
 * Writes what workers log: one process alone holds the descriptors of the log, and lines of several do not mix. The result
 * waits until all that exited workers have written is passed on.
 */
export const relayWorkers = (cluster: Cluster, { pass }: Log): (() => Promise<void>) => {
  const open = new Set<Readable>()

  const relay = (stream: Readable | null, take: (text: string) => void): void => {
    if (stream === null) return
    open.add(stream)
    stream.once('close', () => open.delete(stream))
    stream.setEncoding('utf8').on('data', take)
  }

  const wholeLines = (): ((text: string) => void) => {
    let rest = ''
    return (text) => {
      const all = rest + text
      const end = all.lastIndexOf('\n') + 1
      rest = all.slice(end)
      if (end > 0) pass(all.slice(0, end))
    }
  }

  cluster.on('fork', ({ process: { stdout, stderr } }) => {
    relay(stdout, wholeLines())
    relay(stderr, (text) => process.stderr.write(text))
  })
  return () => atEnd(() => open.size === 0)
}
