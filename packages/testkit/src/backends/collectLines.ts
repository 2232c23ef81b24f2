import { type Failure, Lines, Name, StoragePath, type Tree, type TreeNode } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

interface Walked {
  readonly path: StoragePath.StoragePath
  readonly node: TreeNode.FileTreeNode | Tree.TopFile | Tree.Directory
  /** Of a directory. */
  readonly expansion?: Tree.Expansion
}

/** Yields a directory and the nodes below it, in the order of their lines. A failure ends the answer. */
async function* walk(directory: Tree.Directory): AsyncGenerator<E.Either<Failure.OfAccess, Walked>, void> {
  const first = await directory.children()
  if (E.isRight(first) && first.right.is !== 'vanished')
    yield E.right({ path: directory.path, node: directory, expansion: first.right })
  let page: typeof first | undefined = first
  while (page !== undefined) {
    if (E.isLeft(page)) return yield page
    if (page.right.is !== 'listed') return
    for (const child of page.right.children) {
      if (child?.type === 'dir') yield* walk(child)
      const path = child?.type === 'file' ? StoragePath.child(directory.path, child.name) : O.none
      if (child?.type === 'file' && O.isSome(path)) yield E.right({ path: path.value, node: child })
    }
    page = await page.right.next?.()
  }
}

/** Returns the lines of a tree in memory. */
export const collectLines =
  (tree: Tree.Tree, bounds: Tree.Bounds): TE.TaskEither<Failure.OfAccess, string> =>
  async () => {
    const lines: Array<string> = []
    const counted: Array<StoragePath.StoragePath> = []
    for await (const walked of tree.type === 'dir' ? walk(tree) : [E.right({ path: tree.path, node: tree })]) {
      if (E.isLeft(walked)) return walked
      const { path, node, expansion }: Walked = walked.right
      const wasSent = 'wasSent' in node && node.wasSent
      const last = counted.at(-1)
      if (!wasSent && last !== undefined && counted.length === bounds.nodes)
        return E.right([...lines, Lines.next(last)].join(''))
      if (!wasSent) counted.push(path)
      const isUnreadable = expansion?.is === 'not expanded' && expansion.unreadable !== undefined
      if (isUnreadable || (!wasSent && bounds.matches(node.name)))
        lines.push(Lines.node(Name.escaped(path), node, expansion === undefined || expansion.is === 'listed'))
    }
    return E.right([...lines, Lines.end].join(''))
  }
