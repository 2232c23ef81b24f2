import { Envelope, type Tree, TreeNode } from '@canopy/domain'
import { turn } from '../eventLoop.js'
import { chunkWriter } from './ChunkWriter.js'
import { nextChild, type OpenDirectory, openDirectory, readAhead, tookNext } from './OpenDirectory.js'

/** In milliseconds. */
const stretchMs = 4

/** Lets others in when a stretch is over. All walkers take turns, so that each round has one stretch, however many they are. */
const stretches = () => {
  let began = performance.now()
  return {
    isOver: (): boolean => performance.now() - began > stretchMs,
    next: async (): Promise<void> => {
      await turn()
      began = performance.now()
    },
  }
}

export interface TreeChunk {
  readonly bytes: Buffer
  /** How many nodes were written since the chunk before it. */
  readonly nodes: number
}

/**
 * Writes a tree depth-first, in chunks, and holds only the directories it stands in and a few that come next. `onUnreadable`
 * is told each directory that is left unexpanded because it cannot be read.
 */
export async function* treeBytes(
  root: Tree.Tree,
  onUnreadable: (directory: Tree.Unreadable) => void = () => undefined,
): AsyncGenerator<TreeChunk, void> {
  const open: Array<OpenDirectory> = []
  const chunk = chunkWriter()
  const stretch = stretches()
  let nodes = 0

  const decided = async (found: Tree.Expansion): Promise<Tree.Decided> => {
    let expansion = found
    while (expansion.is === 'undecided') {
      if (stretch.isOver()) await stretch.next()
      expansion = expansion.decide()
    }
    return expansion
  }

  const begin = (directory: Tree.Root | Tree.Branch, expansion: Tree.Decided): void => {
    nodes += 1
    chunk.text(TreeNode.directoryJsonHead(directory))
    if (expansion.is === 'unexpanded') {
      if (expansion.unreadable !== undefined) onUnreadable(expansion.unreadable)
      chunk.text('}')
    } else {
      chunk.text(',"content":[')
      open.push(openDirectory(expansion.children))
    }
  }

  const withNodes = (bytes: Buffer): TreeChunk => {
    const taken = { bytes, nodes }
    nodes = 0
    return taken
  }

  chunk.text(Envelope.treeJsonHead)
  if (root.type === 'file') {
    nodes += 1
    chunk.text(TreeNode.fileJson(root))
  } else {
    begin(root, await decided(await root.expand()))
  }

  for (let directory = open.at(-1); directory !== undefined; directory = open.at(-1)) {
    const child = nextChild(directory)
    if (child === undefined) {
      chunk.text(']}')
      open.pop()
    } else if (child.type === 'dir') {
      readAhead(directory)
      const found = await child.expand()
      const expansion = found.is === 'vanished' ? found : await decided(found)
      if (expansion.is !== 'vanished') {
        chunk.text(directory.separator)
        begin(child, expansion)
      }
      tookNext(directory, expansion)
    } else {
      chunk.text(directory.separator)
      chunk.files(child)
      nodes += child.files.length
      tookNext(directory)
    }
    for (let full = chunk.take(); full !== undefined; full = chunk.take()) yield withNodes(full)
    if (stretch.isOver()) await stretch.next()
  }
  chunk.text(Envelope.treeJsonTail)
  for (const last of chunk.end()) yield withNodes(last)
}
