import { Readable } from 'node:stream'
import { Failure, type Tree } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Body, stream } from './Answer.js'
import { type TreeChunk, treeBytes } from './treeBytes.js'
import { WalkFailed } from './WalkFailed.js'

/** A tree of up to so many bytes is one piece: some 2,000 nodes. */
const pieceBytes = 256 * 1024

async function* bytesOf(
  first: Buffer,
  rest: AsyncIterable<TreeChunk>,
  wroteNodes: (count: number) => void,
): AsyncGenerator<Buffer, void> {
  yield first
  for await (const { bytes, nodes } of rest) {
    wroteNodes(nodes)
    yield bytes
  }
}

/**
 * A small tree is bytes, with a length and an entity tag. A larger one is a stream, begun once its first piece stands,
 * so that whatever fails before is still an answer of its own; `wroteNodes` is told what a stream writes.
 */
export const treeBody = (
  tree: Tree.Tree,
  wroteNodes: (count: number) => void = () => undefined,
): TE.TaskEither<Failure.FileNotFound | Failure.External, Body> =>
  TE.tryCatch(
    async () => {
      const chunks = treeBytes(tree)
      const piece: Array<Buffer> = []
      let length = 0
      let nodes = 0
      while (length <= pieceBytes) {
        const chunk = await chunks.next()
        if (chunk.done === true) return { is: 'bytes', bytes: Buffer.concat(piece, length), nodes }
        piece.push(chunk.value.bytes)
        length += chunk.value.bytes.length
        nodes += chunk.value.nodes
      }
      wroteNodes(nodes)
      const bytes = bytesOf(Buffer.concat(piece, length), chunks, wroteNodes)
      return stream(Readable.from(bytes, { objectMode: false }))
    },
    (thrown) => (thrown instanceof WalkFailed ? thrown.failure : Failure.external(thrown)),
  )
