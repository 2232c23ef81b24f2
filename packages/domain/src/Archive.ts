import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AuthorizedRequest } from './AuthorizedRequest.js'
import * as Failure from './Failure.js'
import { askFile, type File, fileOf, isShown } from './File.js'
import type { ListEnv, NodeAtEnv, OpenFileEnv } from './ports.js'
import * as StoragePath from './StoragePath.js'
import type { Bounds, Directory, Listed, NotExpanded, Tree } from './Tree.js'
import { treeAt } from './treeAt.js'

/** A directory with the files below it, for an archive. */
export interface Archive<F extends Failure.OfAccess> {
  readonly tree: Directory<Listed | NotExpanded>
  /**
   * Opens a file of the tree by its path in the area. `file not found` if it is gone or no longer shown: the archive omits it,
   * as the tree does. All other failures end the archive.
   */
  readonly open: (path: StoragePath.StoragePath) => TE.TaskEither<F | Failure.FileNotFound | Failure.External, File<F>>
}

const noLongerShown = Failure.external(new Error('a directory became invisible while its archive was sent: retry'))

const openBelow =
  <F extends Failure.OfAccess>(request: AuthorizedRequest<F>, env: OpenFileEnv): Archive<F>['open'] =>
  (path) =>
  () =>
    askFile(
      request,
      path,
    )(env)().then((asked) => {
      if (E.isLeft(asked)) return asked
      const { answer, request: current } = asked.right
      const { requested, access } = current
      const directory = O.getOrElse(() => requested.path)(StoragePath.parent(path))
      const refuse = (failure: Failure.FileNotFound | Failure.External) =>
        (E.isRight(answer) ? answer.right.close() : Promise.resolve()).then(() => E.left(failure))
      if (!isShown(requested.path, directory, access)) return refuse(noLongerShown)
      if (!isShown(requested.path, path, access)) return refuse(Failure.fileNotFound)
      if (E.isRight(answer)) return E.right(fileOf(answer.right, path, current))
      return E.left(answer.left.error === 'type mismatch' ? Failure.fileNotFound : answer.left)
    })

const isDirectory = (tree: Tree): tree is Archive<never>['tree'] => tree.type === 'dir'

/** Returns the requested directory with everything below it that the client may see. `type mismatch` for a file. */
export const archiveAt =
  (bounds: Bounds) =>
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
  ): RTE.ReaderTaskEither<ListEnv & NodeAtEnv & OpenFileEnv, F | Failure.OfStorage, Archive<F>> =>
  (env) =>
    pipe(
      treeAt(bounds)(request)(env),
      TE.filterOrElseW(isDirectory, () => Failure.typeMismatch),
      TE.map((tree) => ({ tree, open: openBelow(request, env) })),
    )
