import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as O from 'fp-ts/lib/Option.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type { Watch } from './Check.js'

/** Why the command looked into nothing, and what to do. `exit` is 2 when it was used wrongly. */
export interface Refusal {
  readonly message: string
  readonly exit: 1 | 2
}

export const wrongUsage = (message: string): Refusal => ({ message, exit: 2 })

export const failed = (message: string): Refusal => ({ message, exit: 1 })

export interface CommandEnv {
  readonly cwd: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly watch: Watch
  /** For anyone who named none. */
  readonly newSeed: IO.IO<number>
}

/** What a command leaves behind. */
export interface Outcome {
  readonly stdout: string
  readonly exit: 0 | 1
}

/** What the command line asked for, its arguments not yet judged. */
export type Command = RTE.ReaderTaskEither<CommandEnv, Refusal, Outcome>

/** Fits the generator's 32 bits. */
const largest = 2_147_483_647

export const wholeNumber =
  (option: string, least: number) =>
  (text: string): E.Either<Refusal, number> =>
    /^(0|[1-9][0-9]{0,9})$/.test(text) && Number(text) >= least && Number(text) <= largest
      ? E.right(Number(text))
      : E.left(wrongUsage(`${option} must be a whole number from ${least} to ${largest}, and is "${text}"`))

/** The seed that was named, or a new one. */
export const seedFrom = (text: string | undefined, newSeed: () => number): E.Either<Refusal, number> =>
  pipe(
    O.fromNullable(text),
    O.match(() => E.right(newSeed()), wholeNumber('--seed', 0)),
  )
