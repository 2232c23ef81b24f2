import { type Failure, Lines, StoragePath, type Tree, type TreeNode } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

interface Walked {
  readonly path: StoragePath.StoragePath
  /** False for the repeated line of a directory in which the walk starts. */
  readonly isCounted: boolean
  /** Empty if the client does not want it. */
  readonly line: string
}

interface Wanted {
  readonly lines: Tree.LineBounds
  readonly matches: (name: string) => boolean
}

const walkedFile = (path: StoragePath.StoragePath, { matches }: Wanted, file: TreeNode.FileTreeNode): Walked => {
  const head = Lines.pathHead(O.getOrElse(() => StoragePath.root)(StoragePath.parent(path)))
  return { path, isCounted: true, line: matches(file.name) ? Lines.fileLine(head, file) : '' }
}

const walkedDirectory = (
  directory: Tree.Directory<unknown>,
  { lines, matches }: Wanted,
  expansion: Tree.Listed | Tree.NotExpanded,
): Walked => {
  const isCounted = !Lines.startsIn(lines, directory.path)
  const isSent = Lines.isUnreadable(expansion) || (isCounted && matches(directory.name))
  const line = isSent ? Lines.directoryLine(directory, expansion.is === 'listed') : ''
  return { path: directory.path, isCounted, line }
}

/** Adds the lines of a directory and of the nodes below it. Returns the failure that ends the answer. */
const walk = async (
  directory: Tree.Directory<unknown>,
  wanted: Wanted,
  expansion: Tree.Listed | Tree.NotExpanded,
  walked: Array<Walked>,
): Promise<Failure.OfAccess | undefined> => {
  walked.push(walkedDirectory(directory, wanted, expansion))
  let page = expansion.is === 'listed' ? expansion : undefined
  while (page !== undefined) {
    for (const child of page.children) {
      if (child?.type === 'file') {
        const path = StoragePath.child(directory.path, child.name)
        if (O.isSome(path)) walked.push(walkedFile(path.value, wanted, child))
      } else if (child?.type === 'dir') {
        const below = await child.children()
        if (E.isLeft(below)) return below.left
        const failure = below.right.is === 'vanished' ? undefined : await walk(child, wanted, below.right, walked)
        if (failure !== undefined) return failure
      }
    }
    const next: E.Either<Failure.OfAccess, Tree.Listed> | undefined = await page.next?.()
    if (next !== undefined && E.isLeft(next)) return next.left
    page = next?.right
  }
  return undefined
}

/** Returns the lines of a tree in memory. Unlike the service, it reads on where the node budget ends. */
export const collectLines =
  (tree: Tree.Tree, bounds: Tree.Bounds): TE.TaskEither<Failure.OfAccess, string> =>
  async () => {
    const lines = Lines.boundsOf(bounds)
    const wanted = { lines, matches: Lines.matcher(lines) }
    const walked: Array<Walked> = []
    if (tree.type === 'dir') {
      const expansion = await tree.children()
      if (E.isLeft(expansion)) return expansion
      const failure = await walk(tree, wanted, expansion.right, walked)
      if (failure !== undefined) return E.left(failure)
    } else if (!Lines.startsIn(lines, tree.path)) walked.push(walkedFile(tree.path, wanted, tree))
    const counted = walked.filter(({ isCounted }) => isCounted)
    const [last, beyond] = [counted[bounds.nodes - 1], counted[bounds.nodes]]
    const kept = walked.slice(0, beyond && walked.indexOf(beyond)).map(({ line }) => line)
    return E.right([...kept, last && beyond ? Lines.nextLine(last.path) : Lines.endLine].join(''))
  }
