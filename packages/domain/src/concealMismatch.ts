import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type { AuthorizedRequest } from './AuthorizedRequest.js'
import { askNode } from './askStorage.js'
import * as Failure from './Failure.js'
import type { NodeAtEnv } from './ports.js'
import * as Settings from './Settings.js'
import type { StoragePath } from './StoragePath.js'

type Rejection<F> = RTE.ReaderTaskEither<NodeAtEnv, F | Failure.OfStorage, never>

/**
 * Finds the file on the way by binary search among the paths that the visitor may request, nearest first: above the file every path
 * is a directory, and below it every look-up is a `type mismatch`. The settings that were read after the look-up decide
 * about the file. The search does not start again, because settings that change all the time must not delay a request.
 */
const mismatchAmong = <F extends Failure.OfAccess>(
  request: AuthorizedRequest<F>,
  paths: ReadonlyArray<StoragePath>,
): Rejection<F> => {
  const middle = Math.floor(paths.length / 2)
  const at = paths[middle]
  if (at === undefined) return RTE.left(Failure.fileNotFound)
  return pipe(
    askNode(request, at),
    RTE.flatMap(({ answer, request: current }): Rejection<F> => {
      if (E.isLeft(answer))
        return answer.left.error === 'type mismatch'
          ? mismatchAmong(current, paths.slice(middle + 1))
          : RTE.left(answer.left)
      if (answer.right.type !== 'file') return mismatchAmong(current, paths.slice(0, middle))
      const { view } = current.access
      const isReachable = view.mayRequest(Settings.visibilityAt(view.settings, at))
      return RTE.left(isReachable ? Failure.typeMismatch : Failure.fileNotFound)
    }),
  )
}

/**
 * `type mismatch` reveals a file at the path or in the middle of it. A visitor who may not reach that file receives
 * `file not found`. Other failures stay as they are.
 */
export const concealMismatch = <F extends Failure.OfAccess>(
  request: AuthorizedRequest<F>,
  failure: Failure.OfStorage,
): Rejection<F> => {
  if (failure.error !== 'type mismatch') return RTE.left(failure)
  const { settings, mayRequest } = request.access.view
  const steps = Settings.stepsTo(settings, request.requested.path)
  const reachable = steps.filter(({ visibility }) => mayRequest(visibility))
  return reachable.length === steps.length
    ? RTE.left(failure)
    : mismatchAmong(request, reachable.map(({ path }) => path).reverse())
}
