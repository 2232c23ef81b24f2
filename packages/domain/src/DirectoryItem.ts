import * as t from 'io-ts'
import type { Alike } from './Alike.js'
import * as Entries from './Entries.js'
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

export const ofAlike = ({ entries, visibility }: Alike): ReadonlyArray<DirectoryItem> =>
  Array.from(entries, (entry) => fromEntry(entry, visibility))

const writeIn = NodeVisibility.tabulate((visibility): Entries.WriteEntry => {
  const headOf = (is_file: boolean): string =>
    `{"visibility":${NodeVisibility.json(visibility)},"is_file":${is_file},"name":`
  const [file, directory] = [headOf(true), headOf(false)]
  return (is_file, name, last_modified, size) =>
    `${is_file ? file : directory}${name},"last_modified":${last_modified},"size":${size}}`
})

export const json = ({ visibility, is_file, name, last_modified, size }: DirectoryItem): string =>
  writeIn(visibility)(is_file, JSON.stringify(name), last_modified, size)

/** With commas in between. */
export const alikeJson = ({ entries, visibility }: Alike): string =>
  Entries.texts(entries, writeIn(visibility)).join(',')
