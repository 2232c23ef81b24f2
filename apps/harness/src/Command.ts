import { causeOf } from '@canopy/installation'
import { SeedingFailed } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'

/** What a command leaves behind. */
export interface Printed {
  readonly stdout: string
  readonly stderr: string
  /** 0: all passed; 1: something failed; 2: wrong usage. */
  readonly exit: 0 | 1 | 2
}

export const printed = (stdout: string, exit: 0 | 1 = 0): Printed => ({ stdout, stderr: '', exit })

const refused =
  (exit: 1 | 2) =>
  (message: string): Printed => ({ stdout: '', stderr: `canopy-harness: ${message}\n`, exit })

/** Why the command looked into nothing, and what to do. */
export const failed = refused(1)
export const wrongUsage = refused(2)

export interface CommandEnv {
  readonly cwd: string
  readonly variables: Readonly<Record<string, string | undefined>>
  readonly watch: Watch
  /** For anyone who named none. */
  readonly newSeed: IO.IO<number>
}

/** What the command line asked for, its arguments not yet judged; `left` where it looks into nothing. */
export type Command = RTE.ReaderTaskEither<CommandEnv, Printed, Printed>

/** The right of a task. What rejects instead is reported by the command or the check that it is for. */
export const promised = async <A>(task: TE.TaskEither<unknown, A>): Promise<A> => {
  const outcome = await task()
  if (E.isRight(outcome)) return outcome.right
  const { left } = outcome
  // A failure has a message, or what was thrown.
  const { message, cause } = Object(left) as { readonly message?: string; readonly cause?: unknown }
  throw new Error(message ?? causeOf(cause ?? left))
}

/** Fits the generator's 32 bits. */
const largest = 2_147_483_647

export const wholeNumber = (option: string, least: number, text: string): E.Either<Printed, number> =>
  /^(0|[1-9][0-9]{0,9})$/.test(text) && Number(text) >= least && Number(text) <= largest
    ? E.right(Number(text))
    : E.left(wrongUsage(`${option} must be a whole number from ${least} to ${largest}, and is "${text}"`))

/** The seed that was named, or a new one. */
export const seedFrom = (text: string | undefined, { newSeed }: CommandEnv): E.Either<Printed, number> =>
  text === undefined ? E.right(newSeed()) : wholeNumber('--seed', 0, text)

/** A sentence that is looked into. */
export interface Check {
  /** What it belongs to, such as the backend that is asked. */
  readonly suite: string
  readonly name: string
  /** May reject: then there was no answer, or nothing to ask. */
  readonly look: () => Promise<Outcome>
}

export type Outcome =
  | { readonly is: 'passed' }
  /** `again`: how to ask it again. */
  | { readonly is: 'failed'; readonly problems: ReadonlyArray<Problem>; readonly again?: string }
  | { readonly is: 'not run'; readonly why: string }

export interface Problem {
  /** What is wrong: a sentence, or the part of the answer that is another. */
  readonly what: string
  readonly expected?: string
  readonly got?: string
}

export interface Result extends Pick<Check, 'suite' | 'name'> {
  readonly outcome: Outcome
}

export const notRun = (why: string): Outcome => ({ is: 'not run', why })

/** Passed when there is no problem. */
export const outcomeOf = (problems: ReadonlyArray<Problem>, again?: string): Outcome =>
  problems.length === 0 ? { is: 'passed' } : { is: 'failed', problems, ...(again === undefined ? {} : { again }) }

/** Anyone who waits for the results. */
export interface Watch {
  /** Called before each check is looked into. */
  readonly announce: (done: number, of: number, check: Check) => void
  /** Whether no one wants the results any more. */
  readonly isInterrupted: () => boolean
}

/** Where seeding failed, nothing was asked. */
export const noAnswer = (thrown: unknown): Problem =>
  thrown instanceof SeedingFailed ? { what: thrown.message } : { what: 'no answer', got: causeOf(thrown) }

/** One after the other, each of them whatever became of the others. */
export const runChecks = async (watch: Watch, checks: ReadonlyArray<Check>): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  for (const check of checks) {
    watch.announce(results.length, checks.length, check)
    const outcome = watch.isInterrupted()
      ? notRun('interrupted')
      : await check.look().catch((thrown: unknown) => outcomeOf([noAnswer(thrown)]))
    results.push({ suite: check.suite, name: check.name, outcome })
  }
  return results
}
