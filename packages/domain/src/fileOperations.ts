import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AuthorizedRequest } from './AuthorizedRequest.js'
import { authorizeOwner, authorizeVisitor, type StorageRequest, type UserContentRequest } from './authorization.js'
import * as Failure from './Failure.js'
import { askFile, type File, fileAt } from './File.js'
import type { ListEnv, NodeAtEnv, OpenFileEnv } from './ports.js'
import type { StoragePath } from './StoragePath.js'
import type { Bounds, TopDirectory, Tree } from './Tree.js'
import { treeAt } from './treeAt.js'

/** A directory with the files below it. */
export interface Archive<F extends Failure.OfAccess> {
  readonly tree: TopDirectory
  /**
   * Opens a file of the tree by its path in the area. `file not found` if it is gone or no longer shown: the archive omits it,
   * as the tree does. All other failures end the archive.
   */
  readonly open: (path: StoragePath) => TE.TaskEither<F | Failure.FileNotFound | Failure.External, File<F>>
}

type ArchiveEnv = ListEnv & NodeAtEnv & OpenFileEnv

const isDirectory = (tree: Tree): tree is TopDirectory => tree.type === 'dir'

const archiveAt =
  (bounds: Bounds) =>
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
  ): RTE.ReaderTaskEither<ArchiveEnv, F | Failure.PermissionDenied | Failure.OfStorage, Archive<F>> =>
  (env) => {
    const open: Archive<F>['open'] = (path) =>
      pipe(
        askFile(request, path)(env),
        TE.flatMapEither(({ answer }) =>
          E.mapLeft((failure: Failure.OfStorage) =>
            failure.error === 'type mismatch' ? Failure.fileNotFound : failure,
          )(answer),
        ),
      )
    return pipe(
      treeAt(bounds)(request)(env),
      TE.filterOrElseW(isDirectory, () => Failure.typeMismatch),
      TE.map((tree) => ({ tree, open })),
    )
  }

/**
 * Reading files, beside the five operations of the interface and never among them. Each fails as the tree operation of the same
 * client, and with `type mismatch` for a directory where a file is requested, or the reverse. The caller closes each file.
 */
export const fileOperations = {
  /** Opens a file of the area that a token opens. */
  storageFile: (request: StorageRequest) => pipe(authorizeOwner(request), RTE.flatMap(fileAt)),
  /** Opens a file of a user's area that visitors may see. */
  userContentFile: (request: UserContentRequest) => pipe(authorizeVisitor(request), RTE.flatMap(fileAt)),
  /** Returns a directory of the area that a token opens, with the files below it, within the bounds. */
  storageArchive: (request: StorageRequest, bounds: Bounds) =>
    pipe(authorizeOwner(request), RTE.flatMap(archiveAt(bounds))),
  /** Returns a directory of a user's area as visitors see it, with the files below it, within the bounds. */
  userContentArchive: (request: UserContentRequest, bounds: Bounds) =>
    pipe(authorizeVisitor(request), RTE.flatMap(archiveAt(bounds))),
}
