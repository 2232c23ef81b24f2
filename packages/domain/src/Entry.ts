import type * as Name from './Name.js'
import type { U64 } from './U64.js'

/** A node in the storage, before any decision about visibility. Links, sockets, pipes and devices are not nodes. */
export type Node = FileNode | DirectoryNode

export interface FileNode {
  readonly type: 'file'
  /** In bytes. */
  readonly size: U64
  /** Unix time in whole seconds, rounded down, at least 0. */
  readonly last_modified: U64
}

export interface DirectoryNode {
  readonly type: 'dir'
  /** Unix time in whole seconds, rounded down, at least 0. */
  readonly last_modified: U64
}

export type Entry = Node & { readonly name: Name.Name }
