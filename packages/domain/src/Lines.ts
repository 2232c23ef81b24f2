import { constTrue, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type * as Failure from './Failure.js'
import * as Name from './Name.js'
import * as NamePattern from './NamePattern.js'
import * as StoragePath from './StoragePath.js'
import type { Bounds, Child, Directory, LineBounds, Listed, NotExpanded, Tree } from './Tree.js'
import type { FileTreeNode } from './TreeNode.js'
import * as U64 from './U64.js'
import * as Visibility from './Visibility.js'

// A tree as lines of JSON: one for each node, depth first, a directory before its children, and one for the end.

const fileTail = Visibility.tabulate((visibility) => `,"visibility":${Visibility.json(visibility)}}\n`)

/** Returns the JSON of the path of a directory's child, up to the name. */
export const pathHead = (directory: StoragePath.StoragePath): string =>
  directory === StoragePath.root ? '/' : `${Name.escaped(directory)}/`

/** Returns the line of a file. `head` is the {@link pathHead} of its directory. */
export const fileLine = (head: string, { name, size, last_modified, visibility }: FileTreeNode): string =>
  `{"type":"file","path":"${head}${Name.escaped(name)}","size":${U64.json(size)},"last_modified":${U64.json(last_modified)}${fileTail(visibility)}`

/** Returns the line of a directory. */
export const directoryLine = (
  { path, last_modified, visibility }: Pick<Directory, 'path' | 'last_modified' | 'visibility'>,
  isExpanded: boolean,
): string => {
  const expanded = isExpanded ? '' : ',"expanded":false'
  return `{"type":"dir","path":"${Name.escaped(path)}","size":0,"last_modified":${U64.json(last_modified)},"visibility":${Visibility.json(visibility)}${expanded}}\n`
}

/** The last line, after all nodes. */
export const endLine = '{"type":"end"}\n'

/** Returns the last line where the node budget ends: a client continues after this path. */
export const nextLine = (after: StoragePath.StoragePath): string => `{"type":"next","after":"${Name.escaped(after)}"}\n`

/** Returns the line that shows how far a walk without other lines has come. */
export const atLine = (path: StoragePath.StoragePath): string => `{"type":"at","path":"${Name.escaped(path)}"}\n`

/** Returns the line bounds of a tree; those of all nodes if it is nested. */
export const boundsOf = ({ lines }: Bounds): LineBounds =>
  O.getOrElse((): LineBounds => ({ after: O.none, name: O.none }))(lines)

export const matcher = ({ name }: LineBounds): ((name: string) => boolean) =>
  O.match(() => constTrue, NamePattern.matcher)(name)

/** Reports whether the walk starts at a directory or inside it. Then an earlier answer has its line. */
export const startsIn = ({ after }: LineBounds, directory: StoragePath.StoragePath): boolean =>
  O.exists(StoragePath.contains(directory))(after)

/** Reports whether nothing but the line of a directory tells the client that nodes are missing. It is sent whatever its name. */
export const isUnreadable = (expansion: Listed | NotExpanded): boolean =>
  expansion.is === 'not expanded' && expansion.unreadable !== undefined

interface Walked {
  readonly path: StoragePath.StoragePath
  /** False for the repeated line of a directory in which the walk starts. */
  readonly isCounted: boolean
  /** Empty if the client does not want it. */
  readonly line: string
}

type Walking = TE.TaskEither<Failure.OfAccess, ReadonlyArray<Walked>>

const walkDirectory = (node: Directory<unknown>, lines: LineBounds, expansion: Listed | NotExpanded): Walking => {
  const isCounted = !startsIn(lines, node.path)
  const isSent = isUnreadable(expansion) || (isCounted && matcher(lines)(node.name))
  const line = isSent ? directoryLine(node, expansion.is === 'listed') : ''
  const own: Walked = { path: node.path, isCounted, line }
  return expansion.is === 'listed'
    ? pipe(walkPages(node.path, lines, expansion), TE.map(RA.prepend(own)))
    : TE.right([own])
}

const walkFile = (path: StoragePath.StoragePath, lines: LineBounds, file: FileTreeNode): Walked => {
  const parent = O.getOrElse(() => StoragePath.root)(StoragePath.parent(path))
  const isSent = matcher(lines)(file.name)
  return { path, isCounted: true, line: isSent ? fileLine(pathHead(parent), file) : '' }
}

const walkChild =
  (parent: StoragePath.StoragePath, lines: LineBounds) =>
  (child: Child): Walking =>
    child.type === 'file'
      ? TE.right(
          RA.fromOption(
            O.map((path: StoragePath.StoragePath) => walkFile(path, lines, child))(
              StoragePath.child(parent, child.name),
            ),
          ),
        )
      : pipe(
          child.children,
          TE.flatMap((expansion) =>
            expansion.is === 'vanished' ? TE.right([]) : walkDirectory(child, lines, expansion),
          ),
        )

const walkPages = (path: StoragePath.StoragePath, lines: LineBounds, { children, next }: Listed): Walking => {
  const page = pipe(
    [...children].filter((child) => child !== undefined),
    TE.traverseSeqArray(walkChild(path, lines)),
    TE.map(RA.flatten),
  )
  return next === undefined
    ? page
    : pipe(
        page,
        TE.flatMap((walked) =>
          pipe(
            next,
            TE.flatMap((following) => walkPages(path, lines, following)),
            TE.map((rest) => [...walked, ...rest]),
          ),
        ),
      )
}

const walkTree = (tree: Tree, lines: LineBounds): Walking => {
  if (tree.type === 'dir')
    return pipe(
      tree.children,
      TE.flatMap((expansion) => walkDirectory(tree, lines, expansion)),
    )
  return TE.right(startsIn(lines, tree.path) ? [] : [walkFile(tree.path, lines, tree)])
}

/** Returns the lines of a tree in memory. Unlike the service, it reads on where the node budget ends. */
export const collect = (tree: Tree, bounds: Bounds): TE.TaskEither<Failure.OfAccess, string> =>
  pipe(
    walkTree(tree, boundsOf(bounds)),
    TE.map((walked) => {
      const counted = walked.filter(({ isCounted }) => isCounted)
      const [last, beyond] = [counted[bounds.nodes - 1], counted[bounds.nodes]]
      const lines = walked.slice(0, beyond && walked.indexOf(beyond)).map(({ line }) => line)
      return [...lines, last && beyond ? nextLine(last.path) : endLine].join('')
    }),
  )
