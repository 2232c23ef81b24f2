import { Readable } from 'node:stream'
import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { type Body, FailedStream, stream } from '../http/HttpResponse.js'

/** The length of every chunk but the last, because lengths that depend on the nodes would reveal hidden ones. */
const chunkBytes = 64 * 1024
/** Longer text is encoded. */
const textLength = 8 * 1024
/**
 * Between two checks, the text grows by one node: at most a path of 4,096 bytes, each escaped as six, or a name and `]}` for each
 * level of a path.
 */
const maxNodeBytes = 26 * 1024
/** Text is encoded into a chunk that is not full, and a UTF-16 unit takes at most three bytes. */
const roomBytes = chunkBytes + 3 * textLength + maxNodeBytes
/** A smaller body, of some 2,000 nodes, is sent as one piece. */
const pieceBytes = 256 * 1024

export interface Chunk {
  readonly bytes: Buffer
  /** The number of nodes since the previous chunk. */
  readonly nodes: number
  /** Sent at once: the body has been silent for too long. */
  readonly isUrgent?: boolean
}

/** Encodes text into chunks of one size. */
export class TextChunks {
  /** The text that is not yet encoded. Writers append to it. */
  text = ''
  /** The number of nodes since the last chunk. */
  nodes = 0
  #bytes = Buffer.alloc(0)
  #length = 0

  get isEmpty(): boolean {
    return this.text === '' && this.#length === 0
  }

  /** Encodes long text, and reports whether a chunk is full. Called before each node. */
  isFull(): boolean {
    if (this.text.length >= textLength) this.#encode()
    return this.#length >= chunkBytes
  }

  take(): Chunk {
    const chunk = { bytes: this.#bytes.subarray(0, Math.min(this.#length, chunkBytes)), nodes: this.nodes }
    const rest = this.#bytes.subarray(chunk.bytes.length, this.#length)
    if (rest.length > 0) this.#bytes = Buffer.allocUnsafeSlow(roomBytes)
    this.#length = rest.copy(this.#bytes)
    this.nodes = 0
    return chunk
  }

  /** Yields all that is left, in chunks of which the last may be short. */
  *rest(): Generator<Chunk, void> {
    this.#encode()
    do yield this.take()
    while (this.#length > 0)
  }

  #encode(): void {
    if (this.#length === 0) this.#bytes = Buffer.allocUnsafeSlow(roomBytes)
    this.#length += this.#bytes.write(this.text, this.#length)
    this.text = ''
  }
}

/** Throws a failure, because a generator cannot fail otherwise. */
export const orThrow = <A>(read: E.Either<Failure.Failure, A>): A => {
  if (E.isLeft(read)) throw new FailedStream(read.left)
  return read.right
}

/** Called with the number of nodes in each chunk of a stream. */
type WroteNodes = ((count: number) => void) | undefined

async function* bytesOf(
  first: Buffer,
  rest: AsyncIterable<Chunk>,
  wroteNodes: WroteNodes,
): AsyncGenerator<Buffer, void> {
  yield first
  for await (const { bytes, nodes } of rest) {
    wroteNodes?.(nodes)
    yield bytes
  }
}

const bodyOf = async (chunks: AsyncGenerator<Chunk, void>, wroteNodes: WroteNodes): Promise<Body> => {
  const piece: Array<Buffer> = []
  let length = 0
  let nodes = 0
  let isUrgent = false
  while (length <= pieceBytes && !isUrgent) {
    const chunk = await chunks.next()
    if (chunk.done === true) return { is: 'bytes', bytes: Buffer.concat(piece, length), nodes }
    piece.push(chunk.value.bytes)
    length += chunk.value.bytes.length
    nodes += chunk.value.nodes
    isUrgent = chunk.value.isUrgent === true
  }
  wroteNodes?.(nodes)
  const bytes = bytesOf(Buffer.concat(piece, length), chunks, wroteNodes)
  // The next chunks are written while the client reads.
  return stream(Readable.from(bytes, { objectMode: false, highWaterMark: pieceBytes }))
}

/**
 * Returns the body of these chunks. A small one is bytes, with a length and an entity tag. A larger one is a stream that begins
 * when its first piece is ready, so that an earlier failure is still a complete response.
 */
export const chunksBody = async (
  chunks: AsyncGenerator<Chunk, void>,
  wroteNodes: WroteNodes,
): Promise<E.Either<Failure.Failure, Body>> => {
  try {
    return E.right(await bodyOf(chunks, wroteNodes))
  } catch (thrown) {
    if (thrown instanceof FailedStream) return E.left(thrown.failure)
    throw thrown
  }
}
