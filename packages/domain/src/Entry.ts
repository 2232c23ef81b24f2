import type * as Name from './Name.js'
import type { U64 } from './U64.js'

/** A node as storage knows it, before anyone asked who may see it. Nothing else exists: no links, sockets, devices. */
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
export type FileEntry = FileNode & { readonly name: Name.Name }
