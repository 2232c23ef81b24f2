import { type Entry, type Failure, type Listing, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { WorldDirectory, WorldFile, WorldNode } from '../../World.js'

/** A name in ASCII, so that two names which look alike are told apart. */
export const saidName = (name: string): string =>
  JSON.stringify(name).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

const saidU64 = (u: unknown): string => (U64.is(u) ? u.toString() : `${typeof u} ${String(u)}, which is no U64`)

export const saidNode = (node: Entry.Node | WorldFile | WorldDirectory): string =>
  node.type === 'file'
    ? `file of ${saidU64(node.size)} bytes, last modified ${saidU64(node.last_modified)}`
    : `dir, last modified ${saidU64(node.last_modified)}`

export const saidEntry = (entry: Entry.Entry | WorldFile | WorldDirectory): string =>
  `${saidName(entry.name)} (${saidNode(entry)})`

export const saidListing = ({ entries, unlistable, unknown }: Listing.Listing): string =>
  `${[...entries].map(saidEntry).join(', ')}; ${unlistable} unlistable; unknown: ${unknown?.names.join(', ') ?? 'none'}`

/** What a port answered: a failure by its name, anything else as `saidRight` tells it. */
export const said =
  <A>(saidRight: (a: A) => string) =>
  (answer: E.Either<Failure.Failure, A>): string =>
    pipe(
      answer,
      E.match(({ error }) => error, saidRight),
    )

/** What a listing of a directory with these nodes tells: files and directories, in byte order. */
export const listed = (nodes: ReadonlyArray<WorldNode>): ReadonlyArray<string> =>
  nodes
    .filter((node) => node.type === 'file' || node.type === 'dir')
    .sort((x, y) => Buffer.compare(Buffer.from(x.name), Buffer.from(y.name)))
    .map(saidEntry)
