import { createHash } from 'node:crypto'
import { Envelope, type Failure, Items } from '@canopy/domain'
import { slices, yieldNow } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import pLimit from 'p-limit'
import { type Bytes, entityTag } from '../http/HttpResponse.js'

/** The body of a listing, and the facts that its headers need. */
export interface ListingBody {
  readonly body: Bytes
  /** The name of the last item. */
  readonly last: O.Option<string>
  /** Whether the client would see another item behind the last one. */
  readonly more: boolean
}

/** Writing this many items takes less than a millisecond. */
const itemsInAStep = 256

/** In steps: the system maps the memory of a large body page by page, which takes as long as the copying. */
const joined = async (pieces: ReadonlyArray<Buffer>, sliceEnd: () => Promise<void>): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    await sliceEnd()
    at += piece.copy(bytes, at)
  }
  return bytes
}

const limitOf = ({ limit }: Items.Items): number => O.getOrElse(() => Number.POSITIVE_INFINITY)(limit)

type Written = E.Either<Failure.Failure, ListingBody>

const write = async (items: Items.Items, signal: AbortSignal | undefined): Promise<Written> => {
  signal?.throwIfAborted()
  const limit = limitOf(items)
  const pieces: Array<Buffer> = []
  const hash = createHash('sha256')
  const sliceEnd = slices()
  let text = Envelope.dirContentJsonHead
  let seen = 0
  let nodes = 0
  let last: string | undefined
  const close = (): void => {
    const piece = Buffer.from(text)
    pieces.push(piece)
    hash.update(piece)
    text = ''
  }
  /** Whether an item follows the last one that the client requested. */
  const writePage = async (page: Items.ItemsPage): Promise<boolean> => {
    for (const item of page.items) {
      seen += 1
      if (seen % itemsInAStep === 0) {
        close()
        await sliceEnd()
        signal?.throwIfAborted()
      }
      if (item === undefined) continue
      if (nodes === limit) return true
      if (nodes > 0) text += ','
      text += Items.json(item)
      nodes += 1
      last = item.name
    }
    return false
  }
  let page: Items.ItemsPage = items
  let more = await writePage(page)
  while (!more && O.isSome(page.next)) {
    const next = await page.next.value()
    if (E.isLeft(next)) return next
    page = next.right
    more = await writePage(page)
  }
  text += Envelope.dirContentJsonTail
  close()
  const bytes = await joined(pieces, sliceEnd)
  return E.right({ body: { is: 'bytes', bytes, nodes, etag: entityTag(hash) }, last: O.fromNullable(last), more })
}

/** Larger bodies are written one after the other: a body that is half written takes memory and is ready no sooner. */
const maxConcurrentItems = 4096

const queue = pLimit(1)

/** The whole body. Yields to the event loop between steps. Rejects when the client leaves. */
export const listingBody = async (items: Items.Items, signal?: AbortSignal): Promise<Written> => {
  const maxItems = Math.min(limitOf(items), items.maxItems)
  // Otherwise all requests that shared one reading would start in the same tick.
  if (maxItems > itemsInAStep) await yieldNow()
  const waitsForStorage = O.isSome(items.next)
  return maxItems > maxConcurrentItems && !waitsForStorage ? queue(() => write(items, signal)) : write(items, signal)
}
