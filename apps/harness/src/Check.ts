import { causeOf } from '@canopy/installation'
import { SeedingFailed } from '@canopy/testkit'

/** A sentence that is looked into. */
export interface Check {
  /** What it belongs to, such as the backend that is asked. */
  readonly suite: string
  readonly name: string
  /** May reject: then there was no answer, or nothing to ask. */
  readonly look: () => Promise<Outcome>
}

export type Outcome = { readonly is: 'passed' } | Failed | NotRun

export interface Failed {
  readonly is: 'failed'
  readonly problems: ReadonlyArray<Problem>
  /** How to ask it again. */
  readonly again?: string
}

export interface NotRun {
  readonly is: 'not run'
  readonly why: string
}

export interface Problem {
  /** What is wrong: a sentence, or the part of the answer that is another. */
  readonly what: string
  readonly expected?: string
  readonly got?: string
}

export interface Result {
  readonly suite: string
  readonly name: string
  readonly outcome: Outcome
}

export const passed: Outcome = { is: 'passed' }

export const notRun = (why: string): NotRun => ({ is: 'not run', why })

/** Passed when there is no problem. */
export const outcomeOf = (problems: ReadonlyArray<Problem>, again?: string): Outcome =>
  problems.length === 0 ? passed : { is: 'failed', problems, ...(again === undefined ? {} : { again }) }

/** Anyone who waits for the results. */
export interface Watch {
  /** Called before each check is looked into. */
  readonly tell: (done: number, of: number, check: Check) => void
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
    watch.tell(results.length, checks.length, check)
    const outcome = watch.isInterrupted()
      ? notRun('interrupted')
      : await check.look().catch((thrown: unknown) => outcomeOf([noAnswer(thrown)]))
    results.push({ suite: check.suite, name: check.name, outcome })
  }
  return results
}
