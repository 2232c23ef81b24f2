import { createHash } from 'node:crypto'
import { Envelope, Items } from '@canopy/domain'
import { slices, yieldNow } from '@canopy/storage-fs'
import * as O from 'fp-ts/lib/Option.js'
import pLimit from 'p-limit'
import { type Bytes, entityTag } from '../http/answers.js'

/** A listing as it goes out, and what its head says of it. */
export interface ListingBody {
  readonly body: Bytes
  /** The name of the last item. */
  readonly last: O.Option<string>
  /** Whether the asker would see more items after it. */
  readonly more: boolean
}

/** The server writes these items in less than a millisecond. */
const itemsInAStep = 256

/** The memory of a large body comes from the system page by page, which takes as long as the copying. */
const joined = async (pieces: ReadonlyArray<Buffer>, sliceEnd: () => Promise<void>): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    await sliceEnd()
    at += piece.copy(bytes, at)
  }
  return bytes
}

const written = async ({ items, most }: Items.Items, gone?: AbortSignal): Promise<ListingBody> => {
  gone?.throwIfAborted()
  const pieces: Array<Buffer> = []
  const hash = createHash('sha256')
  const sliceEnd = slices()
  let text = Envelope.dirContentJsonHead
  let looked = 0
  let nodes = 0
  let last: string | undefined
  let more = false
  const close = (): void => {
    const piece = Buffer.from(text)
    pieces.push(piece)
    hash.update(piece)
    text = ''
  }
  for (const item of items) {
    looked += 1
    if (looked % itemsInAStep === 0) {
      close()
      await sliceEnd()
      gone?.throwIfAborted()
    }
    if (item === undefined) continue
    if (nodes === most) {
      more = true
      break
    }
    if (nodes > 0) text += ','
    text += Items.json(item)
    nodes += 1
    last = item.name
  }
  text += Envelope.dirContentJsonTail
  close()
  const bytes = await joined(pieces, sliceEnd)
  return { body: { is: 'bytes', bytes, nodes, etag: entityTag(hash) }, last: O.fromNullable(last), more }
}

/** A body of more items waits while another such is written: half written it takes as much memory, and is ready no sooner. */
const manyItems = 4096

const queued = pLimit(1)

/** The whole body. The event loop is free between the steps. Rejects once `gone` says that no one waits for it. */
export const listingBody = async (items: Items.Items, gone?: AbortSignal): Promise<ListingBody> => {
  // All that waited for one reading would begin in the same tick.
  if (items.most > itemsInAStep) await yieldNow()
  return items.most > manyItems ? queued(() => written(items, gone)) : written(items, gone)
}
