import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import { authorizeOwner, authorizeVisitor, type StorageRequest, type UserContentRequest } from './authorization.js'
import { archiveAt, fileAt } from './File.js'
import type { Bounds } from './Tree.js'

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
