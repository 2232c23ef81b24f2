import { Envelope, Failure, type Tree, TreeNode } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'

/** A failure on its way out of a stream, whose only way to fail is to throw. */
export class WalkFailed extends Error {
  readonly failure: Failure.FileNotFound | Failure.External
  constructor(failure: Failure.FileNotFound | Failure.External) {
    super(failure.error, failure.error === 'external' ? { cause: failure.cause } : {})
    this.failure = failure
  }
}

const expand = async (branch: Tree.Branch): Promise<Tree.Expansion> => {
  const expansion = await branch.expand()
  if (E.isLeft(expansion)) throw new WalkFailed(expansion.left)
  return expansion.right
}

interface OpenDirectory {
  readonly children: ReadonlyArray<Tree.Tree>
  next: number
  separator: '' | ','
}

const chunkLength = 64 * 1024

/**
 * Writes a tree depth-first, in chunks, and holds only the directories it stands in. `wroteNodes` is told how many nodes
 * each chunk holds. Throws {@link WalkFailed}.
 */
export async function* treeText(
  root: Tree.Tree,
  wroteNodes: (count: number) => void = () => undefined,
): AsyncGenerator<string, void> {
  const open: Array<OpenDirectory> = []
  let text = Envelope.treeJsonHead
  let nodes = 1

  const begin = (branch: Tree.Branch, expansion: Exclude<Tree.Expansion, { readonly is: 'vanished' }>): void => {
    text += TreeNode.directoryJsonHead(branch)
    if (expansion.is === 'unexpanded') {
      text += '}'
    } else {
      text += ',"content":['
      open.push({ children: expansion.children, next: 0, separator: '' })
    }
  }

  if (root.type === 'file') {
    text += TreeNode.fileJson(root)
  } else {
    const expansion = await expand(root)
    if (expansion.is === 'vanished') throw new WalkFailed(Failure.fileNotFound)
    begin(root, expansion)
  }

  for (let directory = open.at(-1); directory !== undefined; directory = open.at(-1)) {
    const child = directory.children[directory.next]
    directory.next += 1
    if (child === undefined) {
      text += ']}'
      open.pop()
    } else if (child.type === 'file') {
      text += directory.separator + TreeNode.fileJson(child)
      nodes += 1
      directory.separator = ','
    } else {
      const expansion = await expand(child)
      if (expansion.is !== 'vanished') {
        text += directory.separator
        nodes += 1
        directory.separator = ','
        begin(child, expansion)
      }
    }
    if (text.length >= chunkLength) {
      wroteNodes(nodes)
      yield text
      text = ''
      nodes = 0
    }
  }
  wroteNodes(nodes)
  yield text + Envelope.treeJsonTail
}
