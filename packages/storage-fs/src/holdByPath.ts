import { lstatSync, realpathSync } from 'node:fs'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { descend } from './descend.js'
import type { HeldNode, HoldNode } from './HeldNode.js'

/** Nothing is found below it. */
const nowhere = '/dev/null'

const hold = (path: string): HeldNode => {
  const stats = lstatSync(path, { bigint: true })
  // A link would be followed.
  const reachedBy = stats.isDirectory() ? path : nowhere
  return { stats: () => stats, reachedBy, stands: () => true, close: () => undefined }
}

const root = (directory: string): E.Either<Failure.External, HeldNode> =>
  pipe(
    E.tryCatch(() => hold(realpathSync(directory)), Failure.external),
    E.filterOrElse(
      ({ stats }) => stats().isDirectory(),
      () => Failure.external(Object.assign(new Error('the root of the area is not a directory'), { code: 'ENOTDIR' })),
    ),
  )

/**
 * For systems that have no /proc of Linux, such as macOS. NOT race-free: it looks at names, one after the other, and anyone
 * who can write to the area may swap a directory for a link after it has been looked at.
 */
export const holdByPath: HoldNode = (directory, path) =>
  pipe(
    root(directory),
    E.flatMap((held) => descend(hold)(held, path)),
  )
