import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { WorldDirectory, WorldFile, WorldNode } from '../../testkit/src/World.js'
import * as Failure from '../src/Failure.js'
import type { Entry, Node } from '../src/Listing.js'
import * as Name from '../src/Name.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as StoragePath from '../src/StoragePath.js'
import { name, u64 } from './literals.js'

type Found = E.Either<Failure.FileNotFound | Failure.TypeMismatch, WorldFile | WorldDirectory>

const exists = (node: WorldNode): node is WorldFile | WorldDirectory => node.type === 'file' || node.type === 'dir'

const step = (found: Found, segment: string): Found =>
  pipe(
    found,
    E.filterOrElseW(
      (node): node is WorldDirectory => node.type === 'dir',
      () => Failure.typeMismatch,
    ),
    E.flatMap(({ content }) =>
      pipe(
        content.filter(exists).find((child) => child.name === segment),
        E.fromNullable(Failure.fileNotFound),
      ),
    ),
  )

const nodeOf = (node: WorldFile | WorldDirectory): Node => {
  const last_modified = u64(node.last_modified)
  return node.type === 'file' ? { type: 'file', size: u64(node.size), last_modified } : { type: 'dir', last_modified }
}

/** The storage ports over plain data, for one area. */
export const storageOf = (content: ReadonlyArray<WorldNode>): NodeAtEnv & ListEnv => {
  const find = (path: StoragePath.StoragePath): Found =>
    StoragePath.segments(path).reduce(step, E.right({ type: 'dir', name: '', last_modified: 0n, content }))
  return {
    nodeAt: (_, path) => pipe(find(path), E.map(nodeOf), TE.fromEither),
    list: (_, path) =>
      pipe(
        find(path),
        E.flatMap((node) => (node.type === 'dir' ? E.right(node.content) : E.left(Failure.typeMismatch))),
        E.map((children) => ({
          entries: children
            .filter(exists)
            .map((child): Entry => ({ ...nodeOf(child), name: name(child.name) }))
            .sort((x, y) => Name.byBytes.compare(x.name, y.name)),
          unlistable: 0,
        })),
        TE.fromEither,
      ),
  }
}
