import { pipe } from 'fp-ts/lib/function.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type { Area } from './Area.js'
import * as Failure from './Failure.js'
import { type NodeAtEnv, nodeAt } from './ports/nodeAt.js'
import * as StoragePath from './StoragePath.js'
import * as View from './View.js'

type Failing = RTE.ReaderTaskEither<NodeAtEnv, Failure.OfStorage, never>

/** The first of the paths that does not itself run through a file says whether the file is among them. */
const mismatchAmong = (area: Area, paths: ReadonlyArray<StoragePath.StoragePath>): Failing =>
  pipe(
    paths,
    RA.matchLeft(
      () => RTE.left(Failure.fileNotFound),
      (nearest, above) =>
        pipe(
          nodeAt(area, nearest),
          RTE.matchE(
            (failure): Failing => (failure.error === 'type mismatch' ? mismatchAmong(area, above) : RTE.left(failure)),
            (node) => RTE.left(node.type === 'file' ? Failure.typeMismatch : Failure.fileNotFound),
          ),
        ),
    ),
  )

/**
 * `type mismatch` tells that a file stands at the path or on the way to it. A visitor who may not reach that file must
 * not learn of it: for them nothing is there, and the path is not found.
 */
export const concealMismatch =
  ({ area, settings }: View.View, path: StoragePath.StoragePath) =>
  (failure: Failure.OfStorage): Failing => {
    const way = StoragePath.upwards(path)
    const reachable = way.filter((at) => View.visitorReaches(settings, at))
    return failure.error !== 'type mismatch' || reachable.length === way.length
      ? RTE.left(failure)
      : mismatchAmong(area, reachable)
  }
