import { Envelope, Items } from '@canopy/domain'
import type { HttpError } from '@canopy/http'
import { timeSlices, yieldToEventLoop } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import pLimit from 'p-limit'
import type { Bytes, Stream } from '../http/HttpResponse.js'
import { bodyOf, orThrow, type Piece, PieceText, type WriteOptions } from './bodyOf.js'

/** The body of a listing, and the facts for its headers. */
export interface ListingBody {
  readonly body: Bytes | Stream
  /** The name of the last item, if the body is in one piece. */
  readonly last: O.Option<string>
  /** Whether the client would see another item after the last one. */
  readonly more: boolean
}

/** Writing this many items takes less than a millisecond. */
const itemsInAStep = 256
/** Larger bodies are written one at a time, because concurrent ones take more memory and are ready no sooner. */
const maxConcurrentItems = 4096

const queue = pLimit(1)

/** Returns the body of a listing. Rejects when the client leaves. */
export const listingBody = async (
  items: Items.Items,
  options: WriteOptions = {},
): Promise<E.Either<HttpError.HttpError, ListingBody>> => {
  const maxItems = Math.min(limitOf(items), items.maxItems)
  // Requests that share one listing all resume in one tick. Yielding lets one of them start writing in each tick.
  if (maxItems > itemsInAStep) await yieldToEventLoop()
  const isLarge = maxItems > maxConcurrentItems && !items.isPaged
  return isLarge ? queue(() => write(items, options)) : write(items, options)
}

const limitOf = ({ limit }: Items.Items): number => O.getOrElse(() => Number.POSITIVE_INFINITY)(limit)

/** Where a listing ends. */
interface End {
  last: O.Option<string>
  more: boolean
}

const write = async (
  items: Items.Items,
  { signal, wroteNodes }: WriteOptions,
): Promise<E.Either<HttpError.HttpError, ListingBody>> => {
  signal?.throwIfAborted()
  const end: End = { last: O.none, more: false }
  // Only a storage with pages is slow enough for a stream. The header `Link` depends on the last item, so a body with a limit is
  // never streamed.
  const mayStream = items.isPaged && O.isNone(items.limit)
  const body = await bodyOf(listingPieces(items, end, signal), { wroteNodes, mayStream })
  return E.isLeft(body) ? body : E.right({ body: body.right, ...end })
}

/** Writes the items, and reads the next page of the storage while it writes one, unless a limit may end the listing there. */
async function* listingPieces(
  items: Items.Items,
  end: End,
  signal: WriteOptions['signal'],
): AsyncGenerator<Piece, void> {
  const limit = limitOf(items)
  const sliceEnd = timeSlices()
  const text = new PieceText()
  text.append(Envelope.dirContentJsonHead)
  let seen = 0
  let written = 0
  let page: Items.ItemsPage = items
  let last: string | undefined
  for (;;) {
    const ahead = O.isNone(items.limit) ? readNext(page) : undefined
    for (const item of page.items) {
      seen += 1
      if (text.isFull) yield text.take()
      if (seen % itemsInAStep === 0) {
        await sliceEnd()
        signal?.throwIfAborted()
      }
      if (item === undefined) continue
      end.more = written === limit
      if (end.more) break
      if (written > 0) text.append(',')
      text.appendNode(Items.json(item))
      written += 1
      last = item.name
    }
    const next = end.more ? undefined : await (ahead ?? readNext(page))
    signal?.throwIfAborted()
    if (next === undefined) break
    page = orThrow(next)
  }
  end.last = O.fromNullable(last)
  text.append(Envelope.dirContentJsonTail)
  yield* text.takeAll()
}

/** Returns `undefined` after the last page. The promise may reject before the writer awaits it. */
const readNext = ({ next }: Items.ItemsPage) => {
  if (O.isNone(next)) return undefined
  const page = next.value()
  page.catch(() => undefined)
  return page
}
