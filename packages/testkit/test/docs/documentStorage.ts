import { type Area, type Entry, Failure, type ListEnv, Name, type NodeAtEnv, StoragePath, U64 } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'

/** In text: JSON numbers lose digits above 2^53. */
const Digits = new t.Type<U64.U64, string, unknown>(
  'Digits',
  U64.is,
  (u, context) =>
    pipe(
      typeof u === 'string' ? U64.fromDecimal(u) : O.none,
      O.match(() => t.failure(u, context), t.success),
    ),
  String,
)

const File = t.type({ type: t.literal('file'), path: StoragePath.codec, size: Digits, last_modified: Digits })
const Directory = t.type({ type: t.literal('dir'), path: StoragePath.codec, last_modified: Digits })
const Document = t.readonlyArray(t.union([File, Directory]))

type Nodes = ReadonlyMap<StoragePath.StoragePath, Entry.Node>

/** An area without a root is not empty: it is missing, and that is `external`. */
const nodesOf = (document: string): E.Either<Error, Nodes> =>
  pipe(
    E.tryCatch((): unknown => JSON.parse(document), E.toError),
    E.flatMap(flow(Document.decode, E.mapLeft(() => new Error('the document holds what is no node')))),
    E.map((rows): Nodes => new Map(rows.map(({ path, ...node }) => [path, node]))),
    E.filterOrElse((nodes) => nodes.get(StoragePath.root)?.type === 'dir', () => new Error('the document has no root')),
  )

const find = (path: StoragePath.StoragePath) => (nodes: Nodes) =>
  pipe(
    O.fromNullable(nodes.get(path)),
    E.fromOption(() =>
      StoragePath.upwards(path).some((above) => nodes.get(above)?.type === 'file')
        ? Failure.typeMismatch
        : Failure.fileNotFound,
    ),
  )

const isIn = (directory: StoragePath.StoragePath) => flow(StoragePath.parent, O.exists((parent) => parent === directory))

const listing = (directory: StoragePath.StoragePath, nodes: Nodes): Entry.Listing => ({
  entries: [...nodes]
    .filter(([path]) => isIn(directory)(path))
    .map(([path, node]) => ({ ...node, name: StoragePath.name(path) as Name.Name }))
    .sort((x, y) => Name.byBytes.compare(x.name, y.name)),
  unlistable: 0,
})

/** The storage ports over areas that are one JSON document each, wherever `read` finds it. */
export const documentStorage = (read: (location: Area.AreaLocation) => Promise<string>): NodeAtEnv & ListEnv => {
  const nodesIn = ({ location }: Area.Area) =>
    pipe(
      TE.tryCatch(() => read(location), E.toError),
      TE.flatMapEither(nodesOf),
      TE.mapLeft(Failure.external),
    )
  return {
    nodeAt: (area, path) => pipe(nodesIn(area), TE.flatMapEither(find(path))),
    list: (area, path) =>
      pipe(
        nodesIn(area),
        TE.flatMapEither((nodes) =>
          pipe(
            find(path)(nodes),
            E.filterOrElseW(({ type }) => type === 'dir', () => Failure.typeMismatch),
            E.map(() => listing(path, nodes)),
          ),
        ),
      ),
  }
}
