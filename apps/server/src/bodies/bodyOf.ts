import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Failure } from '@canopy/domain'
import { timeSlices } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { type Bytes, entityTag, FailedStream, type Stream, stream } from '../http/HttpResponse.js'

/** A part of a body, of any length. */
export interface Piece {
  readonly bytes: Buffer
  /** The number of nodes or items in it. */
  readonly nodes: number
  /** Sent at once: the body has been silent for too long. */
  readonly isUrgent?: boolean
}

/** Collects the text of a body until it is yielded as a piece. */
export class PieceText {
  #text = ''
  #nodes = 0

  get isEmpty(): boolean {
    return this.#text === ''
  }

  /** Whether the text is long enough for a piece. */
  get isFull(): boolean {
    return this.#text.length >= pieceLength
  }

  append(text: string): void {
    this.#text += text
  }

  appendNode(text: string): void {
    this.#text += text
    this.#nodes += 1
  }

  take(): Piece {
    const piece = { bytes: Buffer.from(this.#text), nodes: this.#nodes }
    this.#text = ''
    this.#nodes = 0
    return piece
  }
}

const pieceLength = 64 * 1024

/** A longer body is streamed. */
const maxBytes = 256 * 1024

/** The length of every chunk of a stream but the last, because other lengths would reveal nodes that the client may not see. */
const chunkBytes = 64 * 1024

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
 * Returns the body that these pieces make. A small one is bytes, with a length and an entity tag. A larger one is a stream that
 * begins when its first chunks are ready, so that an earlier failure is still a complete response.
 */
export const bodyOf = async (
  pieces: AsyncGenerator<Piece, void>,
  { wroteNodes, mayStream = true }: BodyOptions,
): Promise<E.Either<Failure.Failure, Bytes | Stream>> => {
  const written = new Written()
  const hash = createHash('sha256')
  let nodes = 0
  try {
    for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
      const piece = next.value
      written.add(piece)
      hash.update(piece.bytes)
      nodes += piece.nodes
      if (!mayStream || (written.length <= maxBytes && piece.isUrgent !== true)) continue
      wroteNodes?.(nodes)
      const chunks = chunksOf(written, pieces, wroteNodes)
      // The next chunks are written while the client reads.
      return E.right(stream(Readable.from(chunks, { objectMode: false, highWaterMark: maxBytes })))
    }
    return E.right({ is: 'bytes', bytes: await written.joined(), nodes, etag: entityTag(hash) })
  } catch (thrown) {
    if (thrown instanceof FailedStream) return E.left(thrown.failure)
    throw thrown
  }
}

/** Yields the written bytes and then the other pieces, as chunks. */
async function* chunksOf(
  written: Written,
  rest: AsyncGenerator<Piece, void>,
  wroteNodes: WriteOptions['wroteNodes'],
): AsyncGenerator<Buffer, void> {
  yield* written.takeChunks()
  for await (const piece of rest) {
    wroteNodes?.(piece.nodes)
    written.add(piece)
    yield* written.takeChunks()
  }
  yield* written.takeAll()
}

/** Bytes that are not sent yet. */
class Written {
  length = 0
  #pieces: Array<Buffer> = []
  #isUrgent = false

  add({ bytes, isUrgent = false }: Piece): void {
    this.#pieces.push(bytes)
    this.#isUrgent ||= isUrgent
    this.length += bytes.length
  }

  /** Yields the chunks that are full, or everything if that is urgent. */
  *takeChunks(): Generator<Buffer, void> {
    if (this.#isUrgent) return yield* this.takeAll()
    if (this.length < chunkBytes) return
    const bytes = Buffer.concat(this.#pieces, this.length)
    const end = bytes.length - (bytes.length % chunkBytes)
    for (let at = 0; at < end; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
    this.#pieces = [bytes.subarray(end)]
    this.length -= end
  }

  *takeAll(): Generator<Buffer, void> {
    const bytes = Buffer.concat(this.#pieces, this.length)
    this.#pieces = []
    this.length = 0
    this.#isUrgent = false
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
  }

  /** Joins the pieces. Yields between them, because the system maps the memory of a large body during the copy, which is slow. */
  async joined(): Promise<Buffer> {
    const sliceEnd = timeSlices()
    const bytes = Buffer.allocUnsafeSlow(this.length)
    let at = 0
    for (const piece of this.#pieces) {
      await sliceEnd()
      at += piece.copy(bytes, at)
    }
    return bytes
  }
}

/** Throws a failure, because a generator cannot fail otherwise. */
export const orThrow = <A>(read: E.Either<Failure.Failure, A>): A => {
  if (E.isLeft(read)) throw new FailedStream(read.left)
  return read.right
}
