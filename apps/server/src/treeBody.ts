import { Readable } from 'node:stream'
import { Failure, type Tree } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Body, json, stream } from './Answer.js'
import { treeText, WalkFailed } from './treeText.js'

async function* joined(first: string, rest: AsyncGenerator<string, void>): AsyncGenerator<string, void> {
  yield first
  yield* rest
}

/**
 * A tree of one chunk is bytes, with a length and an entity tag. A larger one is a stream, begun once its first chunk
 * stands, so that whatever fails before is still an answer of its own.
 */
export const treeBody = (
  tree: Tree.Tree,
  wroteNodes?: (count: number) => void,
): TE.TaskEither<Failure.FileNotFound | Failure.External, Body> =>
  TE.tryCatch(
    async () => {
      const chunks = treeText(tree, wroteNodes)
      const first = await chunks.next()
      const second = await chunks.next()
      return second.done === true
        ? json(first.value ?? '')
        : stream(Readable.from(joined((first.value ?? '') + second.value, chunks), { objectMode: false }))
    },
    (thrown) => (thrown instanceof WalkFailed ? thrown.failure : Failure.external(thrown)),
  )
