import { Envelope, type Tree, TreeNode } from '@canopy/domain'
import { orThrow, type Piece, PieceText, type WriteOptions } from './bodyOf.js'
import { isLate, pause } from './pause.js'
import { readAhead } from './readAhead.js'

export interface TreeOptions extends WriteOptions {
  /** Called for a directory that is not expanded because it cannot be read. */
  readonly sawUnreadable?: ((directory: Tree.Unreadable) => void) | undefined
}

/** Writes a nested tree depth-first. Keeps only the open directories and the ones that are read ahead in memory. */
export async function* treePieces(
  root: Tree.Tree,
  { sawUnreadable, signal }: TreeOptions = {},
): AsyncGenerator<Piece, void> {
  const text = new PieceText()
  text.append(Envelope.treeJsonHead)

  async function* write(
    directory: Pick<Tree.Directory, 'name' | 'visibility'>,
    found: Tree.Present,
  ): AsyncGenerator<Piece, void> {
    text.appendNode(TreeNode.directoryJsonHead(directory))
    if (found.is === 'not expanded' && found.unreadable !== undefined) sawUnreadable?.(found.unreadable)
    const children = found.is === 'listed' ? await admitted(found, signal) : undefined
    if (children === undefined) {
      text.append('}')
      return
    }
    text.append(',"content":[')
    let comma = ''
    for (const child of children) {
      if (text.isFull) yield text.take()
      if (child?.type === 'file') {
        text.appendNode(comma + TreeNode.fileJson(child))
        comma = ','
      } else if (child?.type === 'dir') {
        const expansion = orThrow(await child.children(), signal)
        if (expansion.is !== 'vanished') {
          text.append(comma)
          yield* write(child, expansion)
          comma = ','
        }
      }
      if (isLate()) await pause(signal)
    }
    text.append(']}')
  }

  if (root.type === 'dir') yield* write(root, orThrow(await root.children()))
  else text.appendNode(TreeNode.fileJson(root))
  text.append(Envelope.treeJsonTail)
  yield* text.takeAll()
}

/** Children of a larger directory are built twice, for counting and for writing, instead of staying in memory. */
const smallDirectory = 1024

type Child = Tree.Child | undefined

/** Returns the children of a directory, if the node budget suffices for all of them; its directories are read ahead. */
export const admitted = async (
  { children, maxChildren, admit }: Tree.Listed,
  signal: WriteOptions['signal'],
): Promise<Iterable<Child> | undefined> => {
  const small: Array<Child> = []
  let count = 0
  let hasDirectories = false
  for (const child of children) {
    if (child !== undefined) {
      count += 1
      if (maxChildren <= smallDirectory) small.push(child)
      if (child.type === 'dir') hasDirectories = true
    }
    if (isLate()) await pause(signal)
  }
  if (!admit(count)()) return undefined
  const shown = maxChildren <= smallDirectory ? small : children
  return hasDirectories ? readAhead(shown) : shown
}
