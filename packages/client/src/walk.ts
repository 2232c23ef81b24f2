import { CanopyError, type Failure } from './failures.js'
import { follows } from './pages.js'
import {
  backOffDelay,
  errorCode,
  init,
  maxTimerMs,
  onAbort,
  type RequestOptions,
  readResponse,
  retryable,
  wait,
} from './request.js'
import { decodeFailure, decodeLine, malformedResponse, type WalkedNode, type WalkLine } from './responses.js'

/** The longest line has a path of 4,096 bytes, each escaped as six. */
const maxLineLength = 32 * 1024

/** One response of a walk. Its reads end early when the caller aborts, or when nothing arrives in time. */
class Connection {
  readonly #controller = new AbortController()
  readonly #ended: Promise<never>
  readonly #options: RequestOptions
  readonly #stopListening: (() => void) | undefined

  constructor(options: RequestOptions) {
    const { signal } = this.#controller
    this.#options = options
    // The caller's fetch may ignore its signal.
    this.#ended = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
    this.#ended.catch(() => undefined)
    const abort = (): void => this.#controller.abort(new CanopyError({ error: 'aborted' }))
    if (options.signal?.aborted === true) abort()
    this.#stopListening = options.signal && onAbort(options.signal, abort)
  }

  fetch(url: string): Promise<Response> {
    const headers = { Accept: 'application/x-ndjson' }
    return this.#inTime(this.#options.fetch(url, { ...init, headers, signal: this.#controller.signal }), (thrown) => ({
      error: 'no response',
      code: errorCode(thrown, url),
    }))
  }

  read<A>(part: Promise<A>): Promise<A> {
    return this.#inTime(part, () => ({ error: 'incomplete response' }))
  }

  close(): void {
    this.#stopListening?.()
    this.#controller.abort()
  }

  async #inTime<A>(part: Promise<A>, failureOf: (thrown: unknown) => Failure): Promise<A> {
    const { timeoutMs } = this.#options
    const onTimeout = (): void => this.#controller.abort(new CanopyError({ error: 'timed out', timeoutMs }))
    const timer = timeoutMs > maxTimerMs ? undefined : setTimeout(onTimeout, timeoutMs)
    try {
      return await Promise.race([this.#ended, part])
    } catch (thrown) {
      const { signal } = this.#controller
      throw signal.aborted ? signal.reason : new CanopyError(failureOf(thrown))
    } finally {
      clearTimeout(timer)
    }
  }
}

const decodeText = (decoder: TextDecoder, bytes: Uint8Array): string => {
  try {
    return decoder.decode(bytes, { stream: true })
  } catch {
    return malformedResponse('line')
  }
}

/** Yields the lines of one response as they arrive. A cut response ends without its last line. */
async function* readLines(
  url: string,
  options: RequestOptions,
  errors: ReadonlyArray<string>,
): AsyncGenerator<WalkLine, void> {
  const connection = new Connection(options)
  try {
    const response = await connection.fetch(url)
    if (response.status !== 200) {
      const failure = await connection.read(readResponse(response))
      throw new CanopyError(decodeFailure(failure, errors))
    }
    const reader = response.body?.getReader()
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
    let text = ''
    for (;;) {
      const chunk = await connection.read(reader?.read() ?? Promise.resolve({ done: true, value: undefined } as const))
      if (chunk.done) return
      const lines = (text + decodeText(decoder, chunk.value)).split('\n')
      text = lines.pop() ?? ''
      if (text.length > maxLineLength) malformedResponse('line')
      for (const line of lines) yield decodeLine(line)
    }
  } finally {
    connection.close()
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
  failure.error === 'unexpected response' ? retryable.has(failure.status) : temporary.includes(failure.error)

/** Compares name by name: no character sorts before NUL. */
const isAfter = (path: string, other: string): boolean =>
  follows(path.replaceAll('/', '\0'), other.replaceAll('/', '\0'))

const contains = (directory: string, path: string): boolean =>
  directory === '/' || path === directory || path.startsWith(`${directory}/`)

/** The position of a walk. Paths only advance, so that a walk ends whatever the service sends. */
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
   * Returns whether a node is new. A directory that the service cannot read is sent again if the walk continues in it, because
   * the nodes in it may be missing.
   */
  isNew({ path, expanded }: WalkedNode): boolean {
    const isForward = this.advance(path)
    if (!isForward && !(expanded === false && contains(path, this.after ?? ''))) malformedResponse('line.path')
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
      if (line.type === 'at') position.advance(line.path)
      else if (position.isNew(line)) yield line
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
      if (!hasAdvanced) malformedResponse('line.after')
      continue
    }
    const { failure } = outcome
    if (!isTemporary(failure) || attempts >= retries) throw outcome
    const retryAfterMs = 'retryAfter' in failure ? failure.retryAfter * 1000 : 0
    await wait(Math.min(retryAfterMs + backOffDelay(backOffMs, attempts), maxTimerMs), signal)
    attempts += 1
  }
}
