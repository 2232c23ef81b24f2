import { createHash } from 'node:crypto'
import { Failure, type OpenedFile, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { WorldFile } from './World.js'

/** Small, so that short files have several chunks. */
const chunkBytes = 4096n

const closed = Failure.external(new Error('the file is closed'))

/** Opens a file in memory. A later change of the world does not change it. */
export const openedFile = ({ size, last_modified, text }: WorldFile): OpenedFile => {
  const content = text === undefined ? undefined : Buffer.from(text)
  const digest = createHash('sha256')
    .update(`${size} ${last_modified} ${text ?? ''}`)
    .digest('base64url')
  let isClosed = false
  async function* bytes(start: bigint, end: bigint): AsyncGenerator<E.Either<Failure.External, Buffer>> {
    for (let at = start; at < end; ) {
      if (isClosed) return yield E.left(closed)
      const next = end - at > chunkBytes ? at + chunkBytes : end
      yield E.right(content?.subarray(Number(at), Number(next)) ?? Buffer.alloc(Number(next - at)))
      at = next
    }
  }
  return {
    size,
    last_modified: U64.clamp(last_modified),
    version: digest,
    bytes,
    close: async () => {
      isClosed = true
    },
  }
}
