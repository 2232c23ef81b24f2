import { Failure, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { failureOfErrno } from './failureOfErrno.js'
import type { Held, HeldNode } from './HeldNode.js'

/**
 * Looks for something directly in a held directory, by a path that starts with `reachedBy`. When that path itself stops
 * working, because `/proc` is gone, the failure is `external`: it says nothing about the name.
 */
export const lookUp = <A>(at: HeldNode, look: () => A): E.Either<Failure.OfStorage, A> =>
  pipe(
    E.tryCatch(look, failureOfErrno),
    E.orElse((failure) =>
      pipe(
        E.tryCatch(at.stands, Failure.external),
        E.flatMap(() => E.left(failure)),
      ),
    ),
  )

/** Holds by a path whose last name is not followed if it is a link. Throws what `node:fs` throws. */
export type Hold = (path: string) => HeldNode

const isDirectory = (at: HeldNode): E.Either<Failure.External, boolean> =>
  E.tryCatch(() => at.stats().isDirectory(), Failure.external)

/** Goes down name by name from the root of an area, which it takes over and closes; as far as directories lead. */
export const descend =
  (hold: Hold) =>
  (root: HeldNode, path: StoragePath.StoragePath): Held => {
    let held: Held = E.right(root)
    let reached = ''
    for (const name of StoragePath.segments(path)) {
      if (E.isLeft(held)) return held
      const at: HeldNode = held.right
      const goesOn = isDirectory(at)
      if (E.isRight(goesOn) && !goesOn.right) return E.right({ ...at, blocks: reached as StoragePath.StoragePath })
      held = pipe(
        goesOn,
        E.flatMap(() => lookUp(at, () => hold(`${at.reachedBy}/${name}`))),
      )
      at.close()
      reached += `/${name}`
    }
    return held
  }
