import type { OpenedFile } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { asExternal, type StorageResult } from '../StorageResult.js'
import type { FileFacts } from './messages.js'

/** Bytes of a file, at least one. */
export type Chunk = StorageResult<Uint8Array>

/** Reading this number of bytes takes less time than sending them. */
const chunkBytes = 131_072n

/** Creates an open file, which reads chunk by chunk, as the consumer asks. `read` never rejects, and fails once the file is closed. */
export const openedFile = (
  facts: FileFacts,
  read: (start: bigint, end: bigint) => Promise<Chunk>,
  close: OpenedFile['close'],
): OpenedFile => ({
  ...facts,
  async *bytes(start, end) {
    for (let at = start; at < end; ) {
      const chunk = await read(at, end < at + chunkBytes ? end : at + chunkBytes)
      if (E.isLeft(chunk)) throw asExternal(chunk.left).cause
      yield chunk.right
      at += BigInt(chunk.right.length)
    }
  },
  close,
})
