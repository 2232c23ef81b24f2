import { reasonOf } from '@canopy/installation'
import { SeedingFailed } from '@canopy/testkit'

/** One promise of the interface that the harness verifies. */
export interface Check {
  /** Groups the checks of a report, for example by backend. */
  readonly suite: string
  readonly name: string
  /** Rejects when the service does not answer or seeding fails. */
  readonly verify: () => Promise<Outcome>
}

export type Outcome =
  | { readonly is: 'passed' }
  /** `repeat` is a command that repeats the request. */
  | { readonly is: 'failed'; readonly problems: ReadonlyArray<Problem>; readonly repeat?: string }
  | { readonly is: 'not run'; readonly reason: string }

export interface Problem {
  /** A sentence, or the part of the response that differs. */
  readonly what: string
  readonly expected?: string
  readonly got?: string
}

export interface Result extends Pick<Check, 'suite' | 'name'> {
  readonly outcome: Outcome
}

export const notRun = (reason: string): Outcome => ({ is: 'not run', reason })

/** Passed without problems. */
export const outcomeOf = (problems: ReadonlyArray<Problem>, repeat?: string): Outcome =>
  problems.length === 0 ? { is: 'passed' } : { is: 'failed', problems, ...(repeat === undefined ? {} : { repeat }) }

/** Shows the progress of checks and can interrupt them. */
export interface Monitor {
  readonly onCheck: (doneCount: number, total: number, check: Check) => void
  readonly isInterrupted: () => boolean
}

/** Runs every check in order, even after one has failed. */
export const runChecks = async (monitor: Monitor, checks: ReadonlyArray<Check>): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  for (const check of checks) {
    monitor.onCheck(results.length, checks.length, check)
    const outcome = monitor.isInterrupted()
      ? notRun('interrupted')
      : await check.verify().catch((thrown: unknown) => outcomeOf([noAnswer(thrown)]))
    results.push({ suite: check.suite, name: check.name, outcome })
  }
  return results
}

/** Describes a check without an answer. A failed seeding sent no request. */
export const noAnswer = (thrown: unknown): Problem =>
  thrown instanceof SeedingFailed ? { what: thrown.message } : { what: `no response: ${reasonOf(thrown)}` }
