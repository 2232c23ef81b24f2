import { isDeepStrictEqual } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Ports } from '../ports/Ports.js'

/** A question that was put to a port: whether asking it again gives what it gave. */
export type Lookup = () => Promise<boolean>

/**
 * Values of the ports are immutable, so the very same one says the same. A node is small and made anew each time: it is
 * compared. The others are held weakly: none lives longer for having been used.
 */
export const lookup = <A extends object>(port: keyof Ports, ask: TE.TaskEither<unknown, A>, gave: A): Lookup => {
  if (port === 'nodeAt') return async () => E.exists((found) => isDeepStrictEqual(found, gave))(await ask())
  const known = new WeakRef(gave)
  return async () => {
    const found = await ask()
    return E.isRight(found) && found.right === known.deref()
  }
}
