import { Readable } from 'node:stream'
import type { Tree } from '@canopy/domain'
import { type Body, stream } from './Answer.js'
import { type TreeChunk, treeBytes } from './treeBytes.js'

/** A tree of up to so many bytes is one piece: some 2,000 nodes. */
const pieceBytes = 256 * 1024

async function* bytesOf(
  first: Buffer,
  rest: AsyncIterable<TreeChunk>,
  wroteNodes: TreeReports['wroteNodes'],
): AsyncGenerator<Buffer, void> {
  yield first
  for await (const { bytes, nodes } of rest) {
    wroteNodes?.(nodes)
    yield bytes
  }
}

/** What is told while a tree is written. */
export interface TreeReports {
  /** So many nodes of a stream have been written. */
  readonly wroteNodes?: ((count: number) => void) | undefined
  /** A directory is left unexpanded because it cannot be read. */
  readonly sawUnreadable?: ((directory: Tree.Unreadable) => void) | undefined
}

/**
 * A small tree is bytes, with a length and an entity tag. A larger one is a stream, begun once its first piece stands,
 * so that what fails before is still an answer of its own.
 */
export const treeBody = async (tree: Tree.Tree, { wroteNodes, sawUnreadable }: TreeReports): Promise<Body> => {
  const chunks = treeBytes(tree, sawUnreadable)
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
  wroteNodes?.(nodes)
  const bytes = bytesOf(Buffer.concat(piece, length), chunks, wroteNodes)
  return stream(Readable.from(bytes, { objectMode: false }))
}
