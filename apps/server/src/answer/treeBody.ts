import { Readable } from 'node:stream'
import { Failure, type Tree } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Body, stream } from './Answer.js'
import { treeBytes } from './treeBytes.js'
import { WalkFailed } from './WalkFailed.js'

/** A tree of up to so many bytes is one piece: some 2,000 nodes. */
const pieceBytes = 256 * 1024

async function* joined(first: Buffer, rest: AsyncGenerator<Buffer, void>): AsyncGenerator<Buffer, void> {
  yield first
  yield* rest
}

/**
 * A small tree is bytes, with a length and an entity tag. A larger one is a stream, begun once its first piece stands,
 * so that whatever fails before is still an answer of its own.
 */
export const treeBody = (
  tree: Tree.Tree,
  wroteNodes: (count: number) => void = () => undefined,
): TE.TaskEither<Failure.FileNotFound | Failure.External, Body> =>
  TE.tryCatch(
    async () => {
      let nodes = 0
      let count = (written: number): void => {
        nodes += written
      }
      const chunks = treeBytes(tree, (written) => count(written))
      const piece: Array<Buffer> = []
      let length = 0
      while (length <= pieceBytes) {
        const chunk = await chunks.next()
        if (chunk.done === true) return { is: 'bytes', bytes: Buffer.concat(piece, length), nodes }
        piece.push(chunk.value)
        length += chunk.value.length
      }
      wroteNodes(nodes)
      count = wroteNodes
      return stream(Readable.from(joined(Buffer.concat(piece, length), chunks), { objectMode: false }))
    },
    (thrown) => (thrown instanceof WalkFailed ? thrown.failure : Failure.external(thrown)),
  )
