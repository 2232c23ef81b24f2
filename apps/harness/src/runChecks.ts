import { causeOf } from '@canopy/installation'
import { type Check, notRun, type Outcome, type Result } from './Check.js'

/** Whoever waits for the results. */
export interface Watch {
  /** Told before each check is looked into. */
  readonly tell: (done: number, of: number, check: Check) => void
  /** Whether nobody wants the results any more. */
  readonly isInterrupted: () => boolean
}

const outcomeOf = (check: Check): Promise<Outcome> =>
  check.look().catch((thrown: unknown) => ({ is: 'failed', problems: [{ what: 'no answer', got: causeOf(thrown) }] }))

/** One after the other, each of them whatever became of the others. */
export const runChecks = async (watch: Watch, checks: ReadonlyArray<Check>): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  for (const check of checks) {
    watch.tell(results.length, checks.length, check)
    const outcome = watch.isInterrupted() ? notRun('interrupted') : await outcomeOf(check)
    results.push({ suite: check.suite, name: check.name, outcome })
  }
  return results
}
