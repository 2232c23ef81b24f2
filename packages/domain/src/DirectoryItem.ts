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
  /** In seconds since 1970. */
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

const jsonHead = (is_file: boolean) =>
  NodeVisibility.tabulate(
    (visibility) => `{"visibility":${NodeVisibility.json(visibility)},"is_file":${is_file},"name":`,
  )

const fileHead = jsonHead(true)
const directoryHead = jsonHead(false)

export const json = ({ visibility, is_file, name, last_modified, size }: DirectoryItem): string =>
  `${(is_file ? fileHead : directoryHead)(visibility)}${JSON.stringify(name)},"last_modified":${last_modified},"size":${size}}`
