import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { newIORef } from 'fp-ts/lib/IORef.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type * as Area from './Area.js'
import { type Answered, type AuthorizedRequest, askStorage, visibilityNow } from './AuthorizedRequest.js'
import * as Failure from './Failure.js'
import type { Name } from './Name.js'
import type { NodeAtEnv, OpenedFile, OpenFileEnv } from './ports.js'
import * as StoragePath from './StoragePath.js'

/** An open file that its client may read. */
export interface File<F extends Failure.OfAccess> extends OpenedFile {
  readonly name: Name
  /** Asks the registry again, and fails if the client may no longer read the file. Run it once a second while sending. */
  readonly authorizeAgain: TE.TaskEither<F | Failure.External, void>
}

const noLongerShown = Failure.external(new Error('a file became invisible while it was being sent: retry'))

const fileOf = <F extends Failure.OfAccess>(
  opened: OpenedFile,
  path: StoragePath.StoragePath,
  request: AuthorizedRequest<F>,
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
    request.authorizeAgain,
    TE.flatMapEither((current) => visibilityNow(current, path)),
    TE.filterOrElseW(O.isSome, () => noLongerShown),
    TE.asUnit,
  ),
})

/** Opens the requested file or one below it, and closes it again if the client may no longer see it. */
export const askFile =
  <F extends Failure.OfAccess>(
    request: AuthorizedRequest<F>,
    path: StoragePath.StoragePath,
  ): RTE.ReaderTaskEither<OpenFileEnv, F | Failure.External, Answered<F, File<F>>> =>
  ({ openFile }) => {
    const last = newIORef<OpenedFile | undefined>(undefined)()
    const closeLast = (): Promise<void> => last.read()?.close() ?? Promise.resolve()
    const open = (area: Area.Area) => () => () =>
      closeLast()
        .then(openFile(area, path, { signal: request.signal }))
        .then((answer) => {
          last.write(E.isRight(answer) ? answer.right : undefined)()
          return answer
        })
    const judged = pipe(
      askStorage(request, open)({}),
      TE.flatMapEither(({ answer, request: current }) =>
        pipe(
          visibilityNow(current, path),
          E.map(
            O.match(
              () => E.left(Failure.fileNotFound),
              () => answer,
            ),
          ),
          E.map(E.map((opened) => fileOf(opened, path, current))),
          E.map((file) => ({ answer: file, request: current })),
        ),
      ),
    )
    const isOpen = (asked: Awaited<ReturnType<typeof judged>>) => E.isRight(asked) && E.isRight(asked.right.answer)
    return () => judged().then((asked) => (isOpen(asked) ? asked : closeLast().then(() => asked)))
  }

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
    RTE.flatMapTaskEither(({ answer, request: current }): TE.TaskEither<F | Failure.OfStorage, never> => {
      // The client may know a node at the requested path, so its kind need not be concealed.
      return E.isLeft(answer) ? current.reject(answer.left) : TE.left(Failure.typeMismatch)
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
        if (E.isRight(answer)) return RTE.right(answer.right)
        return answer.left.error === 'type mismatch'
          ? rejectMismatch(current)
          : RTE.fromTaskEither(current.reject(answer.left))
      },
    ),
  )
}
