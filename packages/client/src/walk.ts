import { CanopyError, type Failure } from './failures.js'
import { follows } from './pages.js'
import {
  backOffDelay,
  beginResponse,
  maxTimerMs,
  orIncomplete,
  type RequestOptions,
  readResponse,
  retryableStatuses,
  runInTime,
  wait,
} from './request.js'
import { decodeFailure, decodeLine, throwMalformed, type WalkedNode, type WalkLine } from './responses.js'

/** The longest line has a path of 4,096 bytes, each escaped as six characters. */
const maxLineLength = 32 * 1024

const decodeText = (decoder: TextDecoder, bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes, { stream: true })
  } catch {
    return throwMalformed('line')
  }
}

/** Yields the lines of one response as they arrive. After a lost connection they stop without an `end` or `next` line. */
async function* readLines(
  url: string,
  options: RequestOptions,
  errors: ReadonlyArray<string>,
): AsyncGenerator<WalkLine, void> {
  const Accept = 'application/x-ndjson'
  const response = await runInTime(options, (signal) => beginResponse(options.fetch, url, { Accept, signal }))
  if (response.status !== 200) {
    const failed = await runInTime(options, () => readResponse(response))
    throw new CanopyError(decodeFailure(failed, errors))
  }
  const reader = response.body?.getReader() ?? throwMalformed('body')
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  try {
    for (;;) {
      const chunk = await runInTime(options, () => orIncomplete(reader.read()))
      if (chunk.done) return
      const lines = (text + decodeText(decoder, chunk.value)).split('\n')
      text = lines.pop() ?? ''
      if (text.length > maxLineLength) throwMalformed('line')
      for (const line of lines) yield decodeLine(line)
    }
  } finally {
    // Closes the connection if the body has not ended.
    reader.cancel().catch(() => undefined)
  }
}

const temporary: ReadonlyArray<Failure['error']> = [
  'no response',
  'incomplete response',
  'timed out',
  'too many requests',
  'overloaded',
  'external',
]

const isTemporary = (failure: Failure): boolean =>
  failure.error === 'unexpected response' ? retryableStatuses.has(failure.status) : temporary.includes(failure.error)

/** Compares name by name: replaces `/` with NUL, which sorts before every other character. */
const isAfter = (path: string, other: string): boolean =>
  follows(path.replaceAll('/', '\0'), other.replaceAll('/', '\0'))

const contains = (directory: string, path: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`)

/** The position of a walk. It never goes back, so a walk yields each node once, whatever the service sends. */
class Position {
  after: string | undefined
  #unexpanded: string | undefined

  constructor(after: string | undefined) {
    this.after = after
  }

  /** Returns whether the path is a step forward. */
  advance(path: string): boolean {
    const { after } = this
    if (after === undefined || isAfter(path, after)) this.after = path
    return this.after !== after
  }

  /**
   * Advances to a node, and returns whether to yield it. When a walk continues in a directory that the service cannot read, the
   * service repeats the directory, because nodes in it may be missing.
   */
  accept({ path, expanded }: WalkedNode): boolean {
    const isForward = this.advance(path)
    const isRepeated = expanded === false && contains(path, this.after ?? '')
    if (!isForward && !isRepeated) throwMalformed('line.path')
    const isKnown = path === this.#unexpanded
    this.#unexpanded = expanded === false ? path : undefined
    return isForward || !isKnown
  }
}

/** What ended a response: its last line, or a failure. */
type Outcome = 'end' | 'next' | CanopyError

/** Yields the new nodes of one response. */
async function* walkResponse(lines: AsyncIterable<WalkLine>, position: Position): AsyncGenerator<WalkedNode, Outcome> {
  try {
    for await (const line of lines) {
      if (line.type === 'end') return 'end'
      if (line.type === 'next') {
        position.advance(line.after)
        return 'next'
      }
      // Progress without a node to show.
      if (line.type === 'at') position.advance(line.path)
      else if (position.accept(line)) yield line
    }
    return new CanopyError({ error: 'incomplete response' })
  } catch (thrown) {
    if (thrown instanceof CanopyError) return thrown
    throw thrown
  }
}

/** Walks a tree, and continues after the last path where a response ends early. `urlAfter` returns the URL of a response. */
export async function* walkTree(
  urlAfter: (after: string | undefined) => string,
  start: string | undefined,
  options: RequestOptions,
  errors: ReadonlyArray<string>,
): AsyncGenerator<WalkedNode, void> {
  const { retries, backOffMs, signal = new AbortController().signal } = options
  const position = new Position(start)
  for (let attempts = 0; ; ) {
    const { after } = position
    const outcome = yield* walkResponse(readLines(urlAfter(after), options, errors), position)
    if (outcome === 'end') return
    const hasAdvanced = position.after !== after
    if (hasAdvanced) attempts = 0
    if (outcome === 'next') {
      if (!hasAdvanced) throwMalformed('line.after')
      continue
    }
    const { failure } = outcome
    if (!isTemporary(failure) || attempts >= retries) throw outcome
    const retryAfterMs = 'retryAfter' in failure ? failure.retryAfter * 1000 : 0
    await wait(Math.min(retryAfterMs + backOffDelay(backOffMs, attempts), maxTimerMs), signal)
    attempts += 1
  }
}
