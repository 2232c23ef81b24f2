import { createHash } from 'node:crypto'
import { type OpenedFile, U64 } from '@canopy/domain'
import type { WorldFile } from './World.js'

/** Small, so that short files have several chunks. */
const chunkBytes = 4096n

const closed = new Error('the file is closed')

/** Opens a file in memory. A later change of the world does not change it. */
export const openedFile = ({ size, last_modified, text }: WorldFile): OpenedFile => {
  const content = text === undefined ? undefined : Buffer.from(text)
  const digest = createHash('sha256')
    .update(`${size} ${last_modified} ${text ?? ''}`)
    .digest('base64url')
  let isClosed = false
  async function* bytes(start: bigint, end: bigint): AsyncGenerator<Buffer> {
    for (let at = start; at < end; ) {
      if (isClosed) throw closed
      const next = end - at > chunkBytes ? at + chunkBytes : end
      yield content?.subarray(Number(at), Number(next)) ?? Buffer.alloc(Number(next - at))
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
