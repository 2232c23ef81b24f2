import {
  type Area,
  type Entry,
  Failure,
  type ListEnv,
  type Listing,
  Name,
  type NodeAtEnv,
  StoragePath,
  U64,
} from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'

const File = t.type({ type: t.literal('file'), path: StoragePath.codec, size: U64.codec, last_modified: U64.codec })
const Directory = t.type({ type: t.literal('dir'), path: StoragePath.codec, last_modified: U64.codec })
const Document = t.readonlyArray(t.union([File, Directory]))

type Nodes = ReadonlyMap<StoragePath.StoragePath, Entry.Node>

const nodesOf = (json: string): E.Either<Error, Nodes> =>
  pipe(
    E.tryCatch((): unknown => JSON.parse(json), E.toError),
    E.flatMap((document) =>
      E.mapLeft(() => new Error('the document holds what is no node'))(Document.decode(document)),
    ),
    E.map((rows): Nodes => new Map(rows.map(({ path, ...node }) => [path, node]))),
    E.filterOrElse(
      (nodes) => nodes.has(StoragePath.root),
      () => new Error('the document has no root'),
    ),
  )

const find = (path: StoragePath.StoragePath) => (nodes: Nodes) => {
  const throughFile = (): boolean => StoragePath.upwards(path).some((above) => nodes.get(above)?.type === 'file')
  return pipe(
    nodes.get(path),
    E.fromNullable(null),
    E.mapLeft(() => (throughFile() ? Failure.typeMismatch : Failure.fileNotFound)),
  )
}

const listingOf = (directory: StoragePath.StoragePath, nodes: Nodes): Listing.Listing => ({
  entries: [...nodes]
    .filter(([path]) => O.toNullable(StoragePath.parent(path)) === directory)
    .map(([path, node]) => ({ ...node, name: StoragePath.name(path) as Name.Name }))
    .sort((x, y) => Name.byBytes.compare(x.name, y.name)),
  unlistable: 0,
})

/** The storage ports over areas that are one JSON document each, wherever `read` finds it. */
export const documentStorage = (read: (location: Area.AreaLocation) => Promise<string>): NodeAtEnv & ListEnv => {
  const nodesIn = ({ location }: Area.Area): TE.TaskEither<Failure.External, Nodes> =>
    pipe(
      TE.tryCatch(() => read(location), E.toError),
      TE.flatMapEither(nodesOf),
      TE.mapLeft(Failure.external),
    )
  return {
    nodeAt: (area, path) => pipe(nodesIn(area), TE.flatMapEither(find(path))),
    list: (area, path) =>
      pipe(
        TE.Do,
        TE.bind('nodes', () => nodesIn(area)),
        TE.bindW('node', ({ nodes }) => TE.fromEither(find(path)(nodes))),
        TE.filterOrElseW(
          ({ node }) => node.type === 'dir',
          () => Failure.typeMismatch,
        ),
        TE.map(({ nodes }) => listingOf(path, nodes)),
      ),
  }
}
