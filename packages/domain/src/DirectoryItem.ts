import * as t from 'io-ts'
import type { Entry } from './Entry.js'
import * as Name from './Name.js'
import * as NodeVisibility from './NodeVisibility.js'
import * as U64 from './U64.js'

/** One element of a directory listing (interface, part 2). */
export interface DirectoryItem {
  readonly visibility: NodeVisibility.NodeVisibility
  readonly is_file: boolean
  readonly name: Name.Name
  readonly last_modified: U64.U64
  /** In bytes; 0 for a directory. */
  readonly size: U64.U64
}

export const codec = t.readonly(
  t.type({
    visibility: NodeVisibility.codec,
    is_file: t.boolean,
    name: Name.codec,
    last_modified: U64.codec,
    size: U64.codec,
  }),
  'DirectoryItem',
)

export const fromEntry = (entry: Entry, visibility: NodeVisibility.NodeVisibility): DirectoryItem => ({
  visibility,
  is_file: entry.type === 'file',
  name: entry.name,
  last_modified: entry.last_modified,
  size: entry.type === 'file' ? entry.size : U64.zero,
})

export const json = (item: DirectoryItem): string =>
  `{"visibility":${NodeVisibility.json(item.visibility)},"is_file":${item.is_file ? 'true' : 'false'},"name":${JSON.stringify(item.name)},"last_modified":${item.last_modified},"size":${item.size}}`
