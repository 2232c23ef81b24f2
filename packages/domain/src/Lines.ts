import { constTrue } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as Name from './Name.js'
import * as NamePattern from './NamePattern.js'
import * as StoragePath from './StoragePath.js'
import type { Bounds, Directory, LineBounds, Listed, NotExpanded } from './Tree.js'
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

/** The line of an unreadable directory is sent whatever its name, because only this line tells that nodes are missing. */
export const isUnreadable = (expansion: Listed | NotExpanded): boolean =>
  expansion.is === 'not expanded' && expansion.unreadable !== undefined
