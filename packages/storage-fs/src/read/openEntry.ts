import { closeSync, constants, fstatSync, openSync, read, statSync } from 'node:fs'
import { Failure, type OpenedFile, type Signal, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { modifiedSeconds } from '../resolve/decode.js'
import { withHint } from '../resolve/errno.js'
import { lookUp } from '../resolve/openPinned.js'
import type { PinnedEntry } from '../resolve/PathResolver.js'
import type { StorageResult } from '../StorageResult.js'

/** A FIFO that is swapped in must not block, a link must lead nowhere, and a terminal must not take control of the process. */
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY

/**
 * Opens a regular file for reading. `stats` come first, because to open a FIFO would wake its writer; the kind of the open
 * descriptor decides.
 */
export const openEntry = ({ pinned, entryPath, stats }: PinnedEntry): StorageResult<OpenedFile> => {
  if (stats.isDirectory()) return E.left(Failure.typeMismatch)
  if (!stats.isFile()) return E.left(Failure.fileNotFound)
  const opened = lookUp(pinned, () => new LocalFile(openSync(entryPath, flags)))
  if (E.isLeft(opened) || opened.right.kind === 'file') return opened
  void opened.right.close()
  return E.left(opened.right.kind === 'dir' ? Failure.typeMismatch : Failure.fileNotFound)
}

/** Reading this number of bytes takes less time than sending them. */
const chunkBytes = 131_072n

type Chunk = E.Either<Failure.External, Uint8Array>

/** Reads chunk by chunk, as the consumer asks. `readChunk` returns at least one byte, or a failure. */
export async function* chunksOf(
  readChunk: (start: bigint, end: bigint) => Promise<Chunk>,
  start: bigint,
  end: bigint,
  signal?: Signal,
): AsyncGenerator<Chunk, void> {
  for (let at = start; at < end; ) {
    if (signal?.aborted === true) return
    const chunk = await readChunk(at, end < at + chunkBytes ? end : at + chunkBytes)
    yield chunk
    if (E.isLeft(chunk)) return
    at += BigInt(chunk.right.length)
  }
}

/** The promises of Node take no bigint as a position. */
const readAt = (fd: number, buffer: Buffer, position: bigint): Promise<number> =>
  new Promise((resolve, reject) => {
    read(fd, buffer, 0, buffer.length, position, (error, count) => (error === null ? resolve(count) : reject(error)))
  })

const isClosed = Failure.external(new Error('the file is closed'))
const becameShorter = Failure.external(new Error('the file shrank while it was being read'))

class LocalFile implements OpenedFile {
  readonly kind: 'file' | 'dir' | 'other'
  readonly size: bigint
  readonly last_modified: U64.U64
  readonly version: string
  #fd: number | undefined
  #readCount = 0
  #isClosed = false

  constructor(fd: number) {
    this.#fd = fd
    try {
      const stats = fstatSync(fd, { bigint: true })
      this.kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'dir' : 'other'
      this.size = U64.clamp(stats.size)
      this.last_modified = U64.clamp(modifiedSeconds(stats, () => statSync(`/proc/self/fd/${fd}`), ''))
      // The change time too: a writer can set the modification time back.
      this.version = [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].map((each) => each.toString(36)).join('.')
    } catch (thrown) {
      closeSync(fd)
      throw thrown
    }
  }

  readonly bytes: OpenedFile['bytes'] = (start, end, signal) =>
    chunksOf((from, to) => this.#read(from, to), start, end, signal)

  readonly close = async (): Promise<void> => {
    this.#isClosed = true
    this.#closeUnlessRead()
  }

  async #read(start: bigint, end: bigint): Promise<Chunk> {
    const fd = this.#fd
    if (fd === undefined || this.#isClosed) return E.left(isClosed)
    this.#readCount += 1
    try {
      const buffer = Buffer.allocUnsafe(Number(end - start))
      const count = await readAt(fd, buffer, start)
      return count === 0 ? E.left(becameShorter) : E.right(buffer.subarray(0, count))
    } catch (thrown) {
      return E.left(Failure.external(withHint(thrown)))
    } finally {
      this.#readCount -= 1
      this.#closeUnlessRead()
    }
  }

  /** Never during a read: the number of a closed descriptor may already belong to another file. */
  #closeUnlessRead(): void {
    if (!this.#isClosed || this.#readCount > 0 || this.#fd === undefined) return
    closeSync(this.#fd)
    this.#fd = undefined
  }
}
