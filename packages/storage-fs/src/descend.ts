import type { Name } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { failureOfErrno } from './failureOfErrno.js'
import type { Held, HeldNode } from './HeldNode.js'
import { notADirectory } from './notADirectory.js'

/** Holds by a path whose last name is not followed if it is a link. Throws what `node:fs` throws. */
export type Hold = (path: string) => HeldNode

const stepInto =
  (hold: Hold, name: Name.Name) =>
  (at: HeldNode): Held => {
    const next: Held = at.stats.isDirectory()
      ? E.tryCatch(() => hold(`${at.reachedBy}/${name}`), failureOfErrno)
      : E.left(notADirectory(at.stats))
    at.close()
    return next
  }

/** Goes down name by name from a node, which it takes over and closes. */
export const descend =
  (hold: Hold) =>
  (from: HeldNode, names: ReadonlyArray<Name.Name>): Held =>
    pipe(
      names,
      RA.reduce(E.right(from) as Held, (at, name) => pipe(at, E.flatMap(stepInto(hold, name)))),
    )
