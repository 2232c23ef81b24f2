import { Readable } from 'node:stream'
import { Failure, type Tree } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Body, json, stream } from './Answer.js'
import { treeText, WalkFailed } from './treeText.js'

/** A tree of up to so many characters is one piece: some 2,000 nodes. */
const pieceLength = 256 * 1024

async function* joined(first: string, rest: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
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
      let count = (nodes: number): void => {
        inPiece += nodes
      }
      let inPiece = 0
      const chunks = treeText(tree, (nodes) => count(nodes))
      let text = ''
      while (text.length <= pieceLength) {
        const next = await chunks.next()
        if (next.done === true) return json(text, inPiece)
        text += next.value
      }
      wroteNodes(inPiece)
      count = wroteNodes
      return stream(Readable.from(joined(text, chunks), { objectMode: false }))
    },
    (thrown) => (thrown instanceof WalkFailed ? thrown.failure : Failure.external(thrown)),
  )
