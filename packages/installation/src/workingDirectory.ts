import * as E from 'fp-ts/lib/Either.js'
import type * as IO from 'fp-ts/lib/IO.js'

/** Where the process stands, from which relative paths are taken; `left` when that directory has been removed. */
export const workingDirectory = (ask: IO.IO<string>): E.Either<ReadonlyArray<string>, string> =>
  E.tryCatch(ask, () => ['the working directory does not exist any more: change to another one'])
