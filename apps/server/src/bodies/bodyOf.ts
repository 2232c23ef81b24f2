import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Failure } from '@canopy/domain'
import type { HttpError } from '@canopy/http'
import { timeSlices } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { type Bytes, entityTag, FailedStream, type Stream, stream } from '../http/HttpResponse.js'

/** A chunk of a body, and what it contains. */
export interface Piece {
  readonly bytes: Buffer
  /** The number of nodes or items in it. */
  readonly nodes: number
  /** Sent at once: the body has been silent for too long. */
  readonly isUrgent?: boolean
}

/** The length of every chunk of a stream but the last, because other lengths would reveal nodes that the client may not see. */
const chunkBytes = 64 * 1024

/** Text of this length becomes bytes. */
const textLength = 8 * 1024

/** A UTF-16 unit takes at most three bytes. */
const unitBytes = 3

const noBytes = Buffer.alloc(0)

/** Collects the text of a body, and cuts its bytes into chunks. */
export class PieceText {
  #text = ''
  #bytes = noBytes
  #length = 0
  #nodes = 0

  get isEmpty(): boolean {
    return this.#text === '' && this.#length === 0
  }

  /** Whether a chunk is complete. */
  get isFull(): boolean {
    return this.#length >= chunkBytes
  }

  append(text: string): void {
    this.#text += text
    if (this.#text.length >= textLength) this.#encode()
  }

  appendNode(text: string): void {
    this.#nodes += 1
    this.append(text)
  }

  /** Returns the first chunk, or everything if that is less. */
  take(): Piece {
    const piece = { bytes: this.#length === 0 ? Buffer.from(this.#text) : this.#takeChunk(), nodes: this.#nodes }
    this.#text = ''
    this.#nodes = 0
    return piece
  }

  *takeAll(): Generator<Piece, void> {
    while (!this.isEmpty) yield this.take()
  }

  #takeChunk(): Buffer {
    this.#encode()
    const chunk = this.#bytes.subarray(0, Math.min(this.#length, chunkBytes))
    const rest = this.#bytes.subarray(chunk.length, this.#length)
    this.#bytes = noBytes
    this.#length = 0
    this.#reserve(rest.length)
    this.#length = rest.copy(this.#bytes)
    return chunk
  }

  #encode(): void {
    this.#reserve(unitBytes * this.#text.length)
    this.#length += this.#bytes.write(this.#text, this.#length)
    this.#text = ''
  }

  /** Makes room for more bytes. A full chunk and two texts fit into a new buffer, so it is rarely copied. */
  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return
    const bytes = Buffer.allocUnsafeSlow(Math.max(this.#length + length, chunkBytes + 2 * unitBytes * textLength))
    this.#bytes.copy(bytes, 0, 0, this.#length)
    this.#bytes = bytes
  }
}

/** A longer body is streamed if it may be. */
const maxBytes = 256 * 1024

export interface WriteOptions {
  /** Aborts when the client leaves: the rest of the body is not written. */
  readonly signal?: Pick<AbortSignal, 'throwIfAborted'> | undefined
  /** Called with the number of nodes in each piece of a stream. */
  readonly wroteNodes?: ((count: number) => void) | undefined
}

interface BodyOptions extends Pick<WriteOptions, 'wroteNodes'> {
  /** False if a body of any length is bytes. */
  readonly mayStream?: boolean
}

/**
 * Returns the body that these pieces make: bytes with a length and an entity tag if it is small or may not stream. Otherwise a
 * stream, which begins when its first chunks are ready, so that an earlier failure is still a complete response.
 */
export const bodyOf = async (
  pieces: AsyncGenerator<Piece, void>,
  { wroteNodes, mayStream = true }: BodyOptions,
): Promise<E.Either<HttpError.HttpError, Bytes | Stream>> => {
  const chunks: Array<Buffer> = []
  const hash = createHash('sha256')
  let length = 0
  let nodes = 0
  try {
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      const piece = next.value
      chunks.push(piece.bytes)
      hash.update(piece.bytes)
      length += piece.bytes.length
      nodes += piece.nodes
      if (!mayStream || (length <= maxBytes && piece.isUrgent !== true)) continue
      wroteNodes?.(nodes)
      const allChunks = chunksOf(chunks, pieces, wroteNodes)
      // The next chunks are written while the client reads.
      return E.right(stream(Readable.from(allChunks, { objectMode: false, highWaterMark: maxBytes })))
    }
    return E.right({ is: 'bytes', bytes: await joined(chunks, length), nodes, etag: entityTag(hash) })
  } catch (thrown) {
    if (thrown instanceof FailedStream) return E.left(thrown.failure)
    throw thrown
  }
}

/** Yields the first chunks, then the others as they are written. */
async function* chunksOf(
  first: ReadonlyArray<Buffer>,
  rest: AsyncGenerator<Piece, void>,
  wroteNodes: WriteOptions['wroteNodes'],
): AsyncGenerator<Buffer, void> {
  yield* first
  for await (const { bytes, nodes } of rest) {
    wroteNodes?.(nodes)
    yield bytes
  }
}

/** Joins the chunks. Yields between them, because the system maps the memory of a large body during the copy, which is slow. */
const joined = async (chunks: ReadonlyArray<Buffer>, length: number): Promise<Buffer> => {
  const sliceEnd = timeSlices()
  const bytes = Buffer.allocUnsafeSlow(length)
  let at = 0
  for (const chunk of chunks) {
    await sliceEnd()
    at += chunk.copy(bytes, at)
  }
  return bytes
}

/** Throws a failure, because a generator cannot fail otherwise, and ends the body of a client that has left. */
export const orThrow = <A>(read: E.Either<Failure.Failure, A>, signal?: WriteOptions['signal']): A => {
  if (E.isLeft(read)) throw new FailedStream(read.left)
  signal?.throwIfAborted()
  return read.right
}
