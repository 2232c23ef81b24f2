import { createHash } from 'node:crypto'
import { Alike, DirectoryItem, Envelope, type Items, onceFor } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import { breathing, oneAfterTheOther } from '../eventLoop.js'
import type { Bytes } from './Answer.js'
import { entityTag } from './entityTag.js'

/** A listing as it goes out, and what its head tells of it. */
export interface ItemsBody {
  readonly body: Bytes
  /** The name of the last item. */
  readonly last: O.Option<string>
  /** Whether the asker would see more items after it. */
  readonly more: boolean
}

/** The memory of a large body comes from the system page by page, which takes as long as the copying. */
const joined = async (pieces: ReadonlyArray<Buffer>, breathe: () => Promise<void>): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((length, piece) => length + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    await breathe()
    at += piece.copy(bytes, at)
  }
  return bytes
}

const written = async (items: Items.Items): Promise<ItemsBody> => {
  const pieces: Array<Buffer> = []
  const hash = createHash('sha256')
  const add = (text: string): void => {
    const piece = Buffer.from(text)
    pieces.push(piece)
    hash.update(piece)
  }
  const breathe = breathing()
  let batch = items.unfold()
  let nodes = 0
  let last: O.Option<string> = O.none
  let head = Envelope.dirContentJsonHead
  for (;;) {
    if (batch.items.length > 0) {
      add(head + batch.items.map(DirectoryItem.alikeJson).join(','))
      head = ','
      nodes += Alike.count(batch.items)
      last = O.fromNullable(batch.items.at(-1)?.entries.at(-1)?.name)
    }
    if (batch.is === 'last') break
    await breathe()
    batch = batch.rest()
  }
  add((nodes === 0 ? head : '') + Envelope.dirContentJsonTail)
  const bytes = await joined(pieces, breathe)
  return { body: { is: 'bytes', bytes, nodes, etag: entityTag(hash) }, last, more: batch.end.more }
}

/** A body of more items is not made while another such is: half made, it takes as much memory, and is made no sooner. */
const manyItems = 4096

const inTurn = oneAfterTheOther()

/** The whole body, made once for as long as the listing lives; other work is let in meanwhile. */
export const itemsBody: (items: Items.Items) => Promise<ItemsBody> = onceFor((items) =>
  items.most > manyItems ? inTurn(() => written(items)) : written(items),
)
