import { CanopyError, canopyErrorOf, storageErrors, userContentErrors } from './failures.js'
import { follows } from './pages.js'
import {
  beginResponse,
  type HttpResponse,
  orIncomplete,
  type RequestOptions,
  readResponse,
  runInTime,
  waitToRepeat,
} from './request.js'
import { decodeFailure, decodeLine, orMalformed, throwMalformed, type WalkedNode, type WalkLine } from './responses.js'
import { type WalkRequest, walkTarget } from './targets.js'

/** The longest line has a path of 4,096 bytes, each escaped as six characters. */
const maxLineLength = 32 * 1024

/** Yields the lines of a response as they arrive. */
async function* readLines({ body }: Response, options: RequestOptions): AsyncGenerator<WalkLine, void> {
  const reader = body?.getReader() ?? throwMalformed('body')
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  let text = ''
  try {
    for (;;) {
      const { done, value } = await runInTime(options, () => orIncomplete(reader.read()))
      if (done) return
      const lines = (text + orMalformed(() => decoder.decode(value, { stream: true }), 'line')).split('\n')
      text = lines.pop() ?? ''
      if (text.length > maxLineLength) throwMalformed('line')
      for (const line of lines) yield decodeLine(line)
    }
  } finally {
    // Closes the connection if the body has not ended.
    reader.cancel().catch(() => undefined)
  }
}

/** The position of a walk. It never goes back, so each node is yielded once; a directory that became unreadable, twice. */
interface Position {
  after: string | undefined
  unexpanded?: string
}

/** Returns whether the path is a step forward, name by name: NUL sorts before every other character, as `/` must. */
const advance = (position: Position, path: string): boolean => {
  const isForward = follows(path.replaceAll('/', '\0'), (position.after ?? '').replaceAll('/', '\0'))
  if (isForward) position.after = path
  return isForward
}

/** Returns whether a node is new. A walk that continues in an unreadable directory gets its line again: nodes are missing. */
const accept = (position: Position, { path, expanded }: WalkedNode): boolean => {
  const isRepeated = expanded === false && (path === '/' || `${position.after}/`.startsWith(`${path}/`))
  if (!advance(position, path) && !isRepeated) throwMalformed('line.path')
  const isNew = path !== position.unexpanded
  if (expanded === false) position.unexpanded = path
  return isNew
}

/** Yields the new nodes of one response. Returns what ended it: its last line, a status other than 200, or a failure. */
async function* walkResponse(
  url: string,
  options: RequestOptions,
  position: Position,
): AsyncGenerator<WalkedNode, 'end' | 'next' | HttpResponse | CanopyError> {
  const Accept = 'application/x-ndjson'
  try {
    const response = await runInTime(options, (signal) => beginResponse(options.fetch, url, { Accept, signal }))
    if (response.status !== 200) return await runInTime(options, () => readResponse(response))
    for await (const line of readLines(response, options)) {
      if (line.type === 'end') return 'end'
      if (line.type === 'dir' || line.type === 'file') {
        if (accept(position, line)) yield line
      } else advance(position, line.path)
      if (line.type === 'next') return 'next'
    }
    return new CanopyError({ error: 'incomplete response' })
  } catch (thrown) {
    return canopyErrorOf(thrown)
  }
}

/** Walks a tree, and continues after the last path where a response ends early. */
export async function* walkTree(request: WalkRequest, options: RequestOptions): AsyncGenerator<WalkedNode, void> {
  const position: Position = { after: request.after }
  for (let attempts = 0; ; ) {
    const { after } = position
    const outcome = yield* walkResponse(`${options.baseUrl}${walkTarget({ ...request, after })}`, options, position)
    if (outcome === 'end') return
    if (position.after !== after) attempts = 0
    else if (outcome === 'next') throwMalformed('line.after')
    if (outcome === 'next') continue
    if (await waitToRepeat(outcome, attempts, options)) attempts += 1
    else if (outcome instanceof CanopyError) throw outcome
    else throw new CanopyError(decodeFailure(outcome, 'token' in request ? storageErrors : userContentErrors))
  }
}
