import { Failure, type OpenedFile } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid } from 'fp-ts/lib/function.js'
import type { FileFacts } from './messages.js'

/** Bytes of a file, at least one. */
export type Chunk = E.Either<Failure.External, Uint8Array>

/** Reading this number of bytes takes less time than sending them. */
const chunkBytes = 131_072n

const closed = Failure.external(new Error('the file is closed'))

/**
 * Creates an open file, which reads chunk by chunk, as the consumer asks. `read` never rejects. `release` runs once, and never during
 * a read: the number of a closed descriptor may already belong to another file.
 */
export const openedFile = (
  facts: FileFacts,
  read: (start: bigint, end: bigint) => Promise<Chunk>,
  release: () => void,
): OpenedFile => {
  let isClosed = false
  let lastRead: Promise<void> = Promise.resolve()
  async function* bytes(start: bigint, end: bigint): AsyncGenerator<Chunk, void> {
    let at = start
    while (at < end) {
      if (isClosed) return yield E.left(closed)
      const reading = lastRead.then(() => read(at, end < at + chunkBytes ? end : at + chunkBytes))
      lastRead = reading.then(constVoid)
      const chunk = await reading
      yield chunk
      if (E.isLeft(chunk)) return
      at += BigInt(chunk.right.length)
    }
  }
  const close = async (): Promise<void> => {
    if (isClosed) return
    isClosed = true
    await lastRead
    release()
  }
  return { ...facts, bytes, close }
}
