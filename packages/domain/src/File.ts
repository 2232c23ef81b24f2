import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import { newIORef } from 'fp-ts/lib/IORef.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Area from './Area.js'
import { type Access, type Answered, type AuthorizedRequest, areaMoved, askStorage } from './AuthorizedRequest.js'
import * as Failure from './Failure.js'
import type { Name } from './Name.js'
import type { NodeAtEnv, OpenedFile, OpenFileEnv } from './ports.js'
import * as Settings from './Settings.js'
import * as StoragePath from './StoragePath.js'

/** An open file that its client may read. */
export interface File<F extends Failure.OfAccess> extends OpenedFile {
  readonly name: Name
  /** Asks the registry again, and fails if the client may no longer read the file. Run it once a second while sending. */
  readonly authorizeAgain: TE.TaskEither<F | Failure.External, void>
}

const noLongerShown = Failure.external(new Error('a file became invisible while it was sent: retry'))

/** Reports whether the requested directory still shows a path below it; true for the requested path itself. */
export const isShown = (requested: StoragePath.StoragePath, path: StoragePath.StoragePath, { view }: Access): boolean =>
  Settings.stepsTo(view.settings, path)
    .slice(StoragePath.segments(requested).length + 1)
    .every(({ visibility }) => view.shows(visibility))

/** Opens a file by the rule of {@link askStorage}, and closes it if the client may not have it. */
export const askFile =
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
    path: StoragePath.StoragePath,
  ): RTE.ReaderTaskEither<OpenFileEnv, F | Failure.External, Answered<F, OpenedFile>> =>
  (env) => {
    const last = newIORef<OpenedFile | undefined>(undefined)()
    const closeLast = (): Promise<void> => last.read()?.close() ?? Promise.resolve()
    const open =
      (area: Area.Area): RTE.ReaderTaskEither<OpenFileEnv, Failure.OfStorage, OpenedFile> =>
      ({ openFile }) =>
      () =>
        closeLast()
          .then(openFile(area, path, { signal: request.signal }))
          .then((answer) => {
            last.write(E.isRight(answer) ? answer.right : undefined)()
            return answer
          })
    return () =>
      askStorage(request, open)(env)().then((asked) => (E.isRight(asked) ? asked : closeLast().then(() => asked)))
  }

export const fileOf = <F extends Failure.OfAccess>(
  opened: OpenedFile,
  path: StoragePath.StoragePath,
  { requested, access, authorizeAgain }: AuthorizedRequest<F>,
): File<F> => ({
  // Field by field, because an adapter may return an object of a class.
  size: opened.size,
  last_modified: opened.last_modified,
  version: opened.version,
  bytes: (start, end, signal) => opened.bytes(start, end, signal),
  close: () => opened.close(),
  // The root of an area is a directory, so the last segment is a name.
  name: StoragePath.name(path) as Name,
  authorizeAgain: pipe(
    authorizeAgain,
    TE.filterOrElseW(
      ({ view }) => Area.isSame(view.area, access.view.area),
      () => areaMoved,
    ),
    TE.filterOrElseW(
      (current) => isShown(requested.path, path, current),
      () => noLongerShown,
    ),
    TE.map(constVoid),
  ),
})

/**
 * Fails for a path that cannot be opened as a file. Asks for the node first, because `type mismatch` of the port does not tell
 * a directory, which the client may know of, from a path through a file that the client may not reach.
 */
const rejectMismatch = <F extends Failure.OfAccess>(
  request: AuthorizedRequest<F>,
): RTE.ReaderTaskEither<NodeAtEnv, F | Failure.OfStorage, never> =>
  pipe(
    askStorage(
      request,
      (area) => (env: NodeAtEnv) => env.nodeAt(area, request.requested.path, { signal: request.signal }),
    ),
    RTE.flatMapTaskEither(({ answer, request: { access, reject } }): TE.TaskEither<F | Failure.OfStorage, never> => {
      if (E.isLeft(answer)) return reject(answer.left, access)
      return answer.right.type === 'dir' ? TE.left(Failure.typeMismatch) : reject(Failure.typeMismatch, access)
    }),
  )

/** Opens the requested file for a client who may see its node. */
export const fileAt = <F extends Failure.OfAccess>(
  request: AuthorizedRequest<F>,
): RTE.ReaderTaskEither<NodeAtEnv & OpenFileEnv, F | Failure.OfStorage, File<F>> => {
  const { path, mustBeDirectory } = request.requested
  if (mustBeDirectory) return rejectMismatch(request)
  return pipe(
    askFile(request, path),
    RTE.flatMap(
      ({ answer, request: current }): RTE.ReaderTaskEither<NodeAtEnv & OpenFileEnv, F | Failure.OfStorage, File<F>> => {
        if (E.isRight(answer)) return RTE.right(fileOf(answer.right, path, current))
        return answer.left.error === 'type mismatch'
          ? rejectMismatch(current)
          : RTE.fromTaskEither(current.reject(answer.left, current.access))
      },
    ),
  )
}
