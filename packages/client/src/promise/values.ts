import type { Visibility as Domain } from '@canopy/domain'

/** Who may see a node. */
export type Visibility = Domain.Visibility

/** The visibility of a node, and whether a parent directory gave it. */
export interface NodeVisibility {
  readonly inherited: boolean
  readonly visibility: Visibility
}

/** One node of a tree. `content` tells an expanded directory from one that is to be asked for. */
export type TreeNode = TreeFile | ExpandedDirectory | UnexpandedDirectory

/** A file of a tree; directories have neither size nor time there. */
export interface TreeFile {
  readonly type: 'file'
  readonly name: string
  /** In bytes. */
  readonly size: bigint
  /** Unix time in seconds. */
  readonly last_modified: bigint
  readonly visibility: NodeVisibility
}

interface Directory {
  readonly type: 'dir'
  /** Empty for the root of an area. */
  readonly name: string
  readonly visibility: NodeVisibility
}

/** A directory with its children. */
export interface ExpandedDirectory extends Directory {
  /** All its children that the asker may see. */
  readonly content: ReadonlyArray<TreeNode>
}

/** Beyond the depth that was asked for or the server's node budget, or unreadable: ask for it by its path. */
export interface UnexpandedDirectory extends Directory {
  readonly content?: never
}

/** One file or directory of a listing. */
export interface DirectoryItem {
  readonly visibility: NodeVisibility
  readonly is_file: boolean
  readonly name: string
  /** Unix time in seconds. */
  readonly last_modified: bigint
  /** In bytes; 0 for a directory. */
  readonly size: bigint
}

/** Items of a directory, and the way to those after them. */
export interface Page {
  readonly items: ReadonlyArray<DirectoryItem>
  /** Asks for the next page; absent on the last one. */
  readonly next?: () => Promise<Page>
}
