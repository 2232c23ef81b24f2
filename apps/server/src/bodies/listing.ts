import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { Envelope, type Failure, Items } from '@canopy/domain'
import { timeSlices, yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import pLimit from 'p-limit'
import { type Bytes, entityTag, FailedStream, type Stream, stream } from '../http/HttpResponse.js'

/** The body of a listing, and the facts for its headers. */
export interface ListingBody {
  readonly body: Bytes | Stream
  /** The name of the last item, if the body is in one piece. */
  readonly last: O.Option<string>
  /** Whether the client would see another item after the last one. */
  readonly more: boolean
}

export interface ListingOptions {
  /** Aborts when the client leaves. */
  readonly signal?: Pick<AbortSignal, 'throwIfAborted'> | undefined
  /** Counts the items of a stream. */
  readonly wroteNodes?: ((count: number) => void) | undefined
}

/** Writing this many items takes less than a millisecond. */
const itemsInAStep = 256
/** Over a storage with pages, a larger body is streamed. */
const maxPieceBytes = 256 * 1024
/** The size of every chunk but the last, because sizes that depend on the pages of the storage would reveal hidden items. */
const chunkBytes = 64 * 1024
/** Larger bodies are written one at a time, because concurrent ones take more memory and are ready no sooner. */
const maxConcurrentItems = 4096

const queue = pLimit(1)

/** Returns the body of a listing. Rejects when the client leaves. */
export const listingBody = async (
  items: Items.Items,
  options: ListingOptions = {},
): Promise<E.Either<Failure.Failure, ListingBody>> => {
  const maxItems = Math.min(limitOf(items), items.maxItems)
  // Requests that share one listing all resume in one tick. Yielding lets one of them start writing in each tick.
  if (maxItems > itemsInAStep) await yieldToEventLoop()
  const isLarge = maxItems > maxConcurrentItems && !items.isPaged
  try {
    return E.right(await (isLarge ? queue(() => write(items, options)) : write(items, options)))
  } catch (thrown) {
    if (thrown instanceof FailedStream) return E.left(thrown.failure)
    throw thrown
  }
}

const limitOf = ({ limit }: Items.Items): number => O.getOrElse(() => Number.POSITIVE_INFINITY)(limit)

/** The progress of a listing that is being written. */
interface Progress {
  nodes: number
  last: string | undefined
  more: boolean
}

const write = async (items: Items.Items, { signal, wroteNodes }: ListingOptions): Promise<ListingBody> => {
  signal?.throwIfAborted()
  const progress: Progress = { nodes: 0, last: undefined, more: false }
  const rest = piecesOf(items, progress, signal)
  // The header `Link` depends on the last item, so a body with a limit is never streamed.
  const mayStream = items.isPaged && O.isNone(items.limit)
  const pieces: Array<Buffer> = []
  const hash = createHash('sha256')
  let length = 0
  for (let piece = await rest.next(); piece.done !== true; piece = await rest.next()) {
    pieces.push(piece.value)
    hash.update(piece.value)
    length += piece.value.length
    if (mayStream && length > maxPieceBytes) {
      const chunks = Readable.from(chunksOf(pieces, rest, progress, wroteNodes), {
        objectMode: false,
        highWaterMark: chunkBytes,
      })
      return { body: stream(chunks), last: O.none, more: false }
    }
  }
  const { nodes, last, more } = progress
  const bytes = await joined(pieces, length)
  return { body: { is: 'bytes', bytes, nodes, etag: entityTag(hash) }, last: O.fromNullable(last), more }
}

/** Writes the items, and reads the next page of the storage while it writes one, unless a limit may end the listing there. */
async function* piecesOf(
  items: Items.Items,
  progress: Progress,
  signal: Pick<AbortSignal, 'throwIfAborted'> | undefined,
): AsyncGenerator<Buffer, void> {
  const limit = limitOf(items)
  const sliceEnd = timeSlices()
  let text: string = Envelope.dirContentJsonHead
  let seen = 0
  let page: Items.ItemsPage = items
  for (;;) {
    const ahead = O.isNone(items.limit) ? readNext(page) : undefined
    for (const item of page.items) {
      seen += 1
      if (seen % itemsInAStep === 0) {
        yield Buffer.from(text)
        text = ''
        await sliceEnd()
        signal?.throwIfAborted()
      }
      if (item === undefined) continue
      progress.more = progress.nodes === limit
      if (progress.more) break
      if (progress.nodes > 0) text += ','
      text += Items.json(item)
      progress.nodes += 1
      progress.last = item.name
    }
    const next = progress.more ? undefined : await (ahead ?? readNext(page))
    signal?.throwIfAborted()
    if (next === undefined) break
    if (E.isLeft(next)) throw new FailedStream(next.left)
    page = next.right
  }
  yield Buffer.from(text + Envelope.dirContentJsonTail)
}

/** Returns `undefined` after the last page. The promise may reject before the writer awaits it. */
const readNext = ({ next }: Items.ItemsPage) => {
  if (O.isNone(next)) return undefined
  const page = next.value()
  page.catch(() => undefined)
  return page
}

/** Joins the pieces. Yields between them, because the system maps the memory of a large body during the copy, which is slow. */
const joined = async (pieces: ReadonlyArray<Buffer>, length: number): Promise<Buffer> => {
  const sliceEnd = timeSlices()
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const piece of pieces) {
    await sliceEnd()
    at += piece.copy(bytes, at)
  }
  return bytes
}

/** Yields the pieces as chunks of one size. */
async function* chunksOf(
  begun: ReadonlyArray<Buffer>,
  rest: AsyncGenerator<Buffer, void>,
  progress: Progress,
  wroteNodes: ListingOptions['wroteNodes'],
): AsyncGenerator<Buffer, void> {
  let held = [...begun]
  let length = begun.reduce((sum, piece) => sum + piece.length, 0)
  let counted = 0
  const count = (): void => {
    wroteNodes?.(progress.nodes - counted)
    counted = progress.nodes
  }
  count()
  for await (const piece of rest) {
    count()
    held.push(piece)
    length += piece.length
    if (length < chunkBytes) continue
    const bytes = Buffer.concat(held, length)
    for (; length >= chunkBytes; length -= chunkBytes)
      yield bytes.subarray(bytes.length - length, bytes.length - length + chunkBytes)
    held = [bytes.subarray(bytes.length - length)]
  }
  const bytes = Buffer.concat(held, length)
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}
