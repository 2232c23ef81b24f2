import * as Name from './Name.js'
import type * as StoragePath from './StoragePath.js'
import type { Directory } from './Tree.js'
import type { FileTreeNode } from './TreeNode.js'
import * as U64 from './U64.js'
import * as Visibility from './Visibility.js'

// A tree as lines of JSON: one for each node, depth first, a directory before its children, and one for the end.

// Made once, because a line of fewer parts takes less time.
const starts = { file: '{"type":"file","path":"', dir: '{"type":"dir","path":"' } as const
const endOf = Visibility.tabulate((of) => `,"visibility":${Visibility.json(of)}}\n`)
const endOfUnexpanded = Visibility.tabulate((of) => `,"visibility":${Visibility.json(of)},"expanded":false}\n`)

/** Returns the line of a node. `path` is escaped, because the path of a directory is escaped once for all of its files. */
export const node = (path: string, of: FileTreeNode | Directory<unknown>, isExpanded = true): string => {
  const size = of.type === 'file' ? U64.json(of.size) : '0'
  const rest = (isExpanded ? endOf : endOfUnexpanded)(of.visibility)
  return `${starts[of.type]}${path}","size":${size},"last_modified":${U64.json(of.last_modified)}${rest}`
}

/** The last line, after all nodes. */
export const end = '{"type":"end"}\n'

/** Returns the last line where the node budget ends: a client continues after this path. */
export const next = (after: StoragePath.StoragePath): string => `{"type":"next","after":"${Name.escaped(after)}"}\n`

/** Returns the line that shows how far a walk without other lines has come. */
export const at = (path: StoragePath.StoragePath): string => `{"type":"at","path":"${Name.escaped(path)}"}\n`
