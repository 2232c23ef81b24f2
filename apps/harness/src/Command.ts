import { reasonOf } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Monitor } from './Check.js'

/** A parsed command. Fails before its first check, for example on a wrong argument. */
export type Command = RTE.ReaderTaskEither<CommandEnv, Printed, Printed>

export interface CommandEnv {
  readonly cwd: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly monitor: Monitor
  /** Replaces a missing --seed. */
  readonly newSeed: IO.IO<number>
}

/** The output of a command. */
export interface Printed {
  readonly stdout: string
  readonly stderr: string
  /** 0: every check passed; 1: a check failed; 2: wrong usage. */
  readonly exit: 0 | 1 | 2
}

export const printed = (stdout: string, exit: 0 | 1 = 0): Printed => ({ stdout, stderr: '', exit })

const printError =
  (exit: 1 | 2) =>
  (message: string): Printed => ({ stdout: '', stderr: `canopy-harness: ${message}\n`, exit })

export const failed = printError(1)
export const wrongUsage = printError(2)

/** Rejects on a left, so that the command or the check reports the error. */
export const toPromise = async <A>(task: TE.TaskEither<unknown, A>): Promise<A> => {
  const outcome = await task()
  if (E.isRight(outcome)) return outcome.right
  const { left } = outcome
  const { message, cause } = Object(left) as { readonly message?: string; readonly cause?: unknown }
  throw new Error(message ?? reasonOf(cause ?? left))
}

/** The largest seed of fast-check. */
const maxNumber = 2_147_483_647

export const parseWholeNumber = (option: string, min: number, text: string): E.Either<Printed, number> =>
  /^(0|[1-9][0-9]{0,9})$/.test(text) && Number(text) >= min && Number(text) <= maxNumber
    ? E.right(Number(text))
    : E.left(wrongUsage(`${option} must be a whole number from ${min} to ${maxNumber}, not "${text}"`))

export const parseSeed = (text: string | undefined, { newSeed }: CommandEnv): E.Either<Printed, number> =>
  text === undefined ? E.right(newSeed()) : parseWholeNumber('--seed', 0, text)
