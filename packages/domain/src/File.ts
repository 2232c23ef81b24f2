import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type AuthorizedRequest, visibilityNow } from './AuthorizedRequest.js'
import { askNode } from './askStorage.js'
import * as Failure from './Failure.js'
import type { Name } from './Name.js'
import type { ListEnv, NodeAtEnv, OpenedFile, OpenFileEnv } from './ports.js'
import * as StoragePath from './StoragePath.js'
import type { Bounds, TopDirectory, Tree } from './Tree.js'
import { treeAt } from './treeAt.js'

/** An open file that its client may read. */
export interface File<F extends Failure.OfAccess> {
  readonly name: Name
  readonly opened: OpenedFile
  /** Asks the registry again, and fails if the client may no longer read the file. Run it once a second while sending. */
  readonly authorizeAgain: TE.TaskEither<F | Failure.FileNotFound | Failure.External, void>
}

/**
 * Opens the requested file or one below it, and closes it again if the client may no longer see it. Asks the storage only once,
 * even if access has changed since, because an adapter never opens a file ahead.
 */
const openShown =
  <F extends Failure.OfAccess>(request: AuthorizedRequest<F>, path: StoragePath.StoragePath) =>
  ({ openFile }: OpenFileEnv): TE.TaskEither<F | Failure.OfStorage, File<F>> => {
    const authorizeAgain = pipe(
      request.authorizeAgain,
      TE.flatMapEither((current) => visibilityNow(current, path)),
      TE.flatMapEither(E.fromOption(() => Failure.fileNotFound)),
      TE.asUnit,
    )
    // The root of an area is a directory, so the last segment is a name.
    const name = StoragePath.name(path) as Name
    return pipe(
      TE.fromTask(openFile(request.access.view.area, path, { signal: request.signal })),
      TE.flatMap((answer) =>
        pipe(
          authorizeAgain,
          TE.flatMapEither(() => answer),
          TE.map((opened) => ({ name, opened, authorizeAgain })),
          TE.tapError(() => TE.fromTask(() => (E.isRight(answer) ? answer.right.close() : Promise.resolve()))),
        ),
      ),
    )
  }

type FileAt<F, A> = RTE.ReaderTaskEither<NodeAtEnv & OpenFileEnv, F | Failure.OfStorage, A>

/** Opens the requested file for a client who may see its node. */
export const fileAt = <F extends Failure.OfAccess>(request: AuthorizedRequest<F>): FileAt<F, File<F>> => {
  const { path, mustBeDirectory } = request.requested
  const opening: FileAt<F, File<F>> = mustBeDirectory ? RTE.left(Failure.typeMismatch) : openShown(request, path)
  // `type mismatch` of the port does not tell a directory, which the client may know of, from a path through a file that the client
  // may not reach.
  const rejectMismatch: FileAt<F, never> = pipe(
    askNode(request, path),
    RTE.flatMapTaskEither(({ answer, request: current }) =>
      E.isLeft(answer) ? current.reject(answer.left) : TE.left(Failure.typeMismatch),
    ),
  )
  return pipe(
    opening,
    RTE.orElse((failure) => (failure.error === 'type mismatch' ? rejectMismatch : RTE.left(failure))),
  )
}

/** A directory with the files below it. */
export interface Archive<F extends Failure.OfAccess> {
  readonly tree: TopDirectory
  /**
   * Opens a file of the tree by its path in the area. `file not found` if it is gone or no longer shown: the archive omits it,
   * as the tree does. All other failures end the archive.
   */
  readonly open: (path: StoragePath.StoragePath) => TE.TaskEither<F | Failure.FileNotFound | Failure.External, File<F>>
}

type ArchiveEnv = ListEnv & NodeAtEnv & OpenFileEnv

/** Returns the requested directory with the files below it, within the bounds. */
export const archiveAt =
  (bounds: Bounds) =>
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
  ): RTE.ReaderTaskEither<ArchiveEnv, F | Failure.PermissionDenied | Failure.OfStorage, Archive<F>> =>
  (env) =>
    pipe(
      treeAt(bounds)(request)(env),
      TE.filterOrElseW(
        (tree: Tree): tree is TopDirectory => tree.type === 'dir',
        () => Failure.typeMismatch,
      ),
      TE.map((tree) => ({
        tree,
        open: (path) =>
          pipe(
            openShown(request, path)(env),
            TE.mapLeft((failure) => (failure.error === 'type mismatch' ? Failure.fileNotFound : failure)),
          ),
      })),
    )
