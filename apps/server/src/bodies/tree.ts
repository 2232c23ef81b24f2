import { Envelope, type Failure, type Tree, TreeNode } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import type { Body } from '../http/HttpResponse.js'
import { type Chunk, chunksBody, orThrow, TextChunks } from './chunks.js'
import { readAhead } from './readAhead.js'
import { isLate, pause } from './stretch.js'

/** Children of a larger directory are built twice, for counting and for writing, instead of staying in memory. */
const smallDirectory = 1024

type Child = Tree.Child | undefined

/** Returns the children of a directory, if the node budget suffices for all of them; its directories are read ahead. */
const admitted = async (
  { children, maxChildren, admit }: Tree.Listed,
  gone: Pick<AbortSignal, 'throwIfAborted'> | undefined,
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
    if (isLate()) await pause(gone)
  }
  if (!admit(count)()) return undefined
  const shown = maxChildren <= smallDirectory ? small : children
  return hasDirectories ? readAhead(shown) : shown
}

export interface TreeOptions {
  /** Called with the number of nodes in each chunk of a stream. */
  readonly wroteNodes?: ((count: number) => void) | undefined
  /** Called for a directory that is not expanded because it cannot be read. */
  readonly sawUnreadable?: ((directory: Tree.Unreadable) => void) | undefined
  /** Aborts when the client leaves: the rest of the tree is not written. */
  readonly gone?: Pick<AbortSignal, 'throwIfAborted'> | undefined
}

/** Writes a tree depth-first, in chunks. Keeps only the open directories and the ones that are read ahead in memory. */
export async function* treeBytes(
  root: Tree.Tree,
  { sawUnreadable, gone }: TreeOptions = {},
): AsyncGenerator<Chunk, void> {
  const chunks = new TextChunks()
  chunks.text = Envelope.treeJsonHead

  async function* write(
    directory: Pick<Tree.Directory, 'name' | 'visibility'>,
    found: Tree.Listed | Tree.NotExpanded,
  ): AsyncGenerator<Chunk, void> {
    chunks.nodes += 1
    chunks.text += TreeNode.directoryJsonHead(directory)
    if (found.is === 'not expanded' && found.unreadable !== undefined) sawUnreadable?.(found.unreadable)
    const children = found.is === 'listed' ? await admitted(found, gone) : undefined
    if (children === undefined) {
      chunks.text += '}'
      return
    }
    chunks.text += ',"content":['
    let comma = ''
    for (const child of children) {
      if (chunks.isFull()) yield chunks.take()
      if (child?.type === 'file') {
        chunks.nodes += 1
        chunks.text += comma + TreeNode.fileJson(child)
        comma = ','
      } else if (child?.type === 'dir') {
        const expansion = orThrow(await child.children())
        gone?.throwIfAborted()
        if (expansion.is !== 'vanished') {
          chunks.text += comma
          yield* write(child, expansion)
          comma = ','
        }
      }
      if (isLate()) await pause(gone)
    }
    chunks.text += ']}'
  }

  if (root.type === 'dir') yield* write(root, orThrow(await root.children()))
  else {
    chunks.nodes += 1
    chunks.text += TreeNode.fileJson(root)
  }
  chunks.text += Envelope.treeJsonTail
  yield* chunks.rest()
}

/** Returns the body of a nested tree. */
export const treeBody = (tree: Tree.Tree, options: TreeOptions): Promise<E.Either<Failure.Failure, Body>> =>
  chunksBody(treeBytes(tree, options), options.wroteNodes)
