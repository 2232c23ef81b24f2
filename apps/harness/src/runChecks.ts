import type { Check, Outcome, Result } from './Check.js'
import { causeOf } from './causeOf.js'

/** Told before each check is looked into. */
export type Progress = (done: number, of: number, check: Check) => void

const outcomeOf = (check: Check): Promise<Outcome> =>
  check
    .look()
    .catch((thrown: unknown) => ({ is: 'failed', problems: [{ what: 'no answer', got: causeOf(thrown) }] }))

/** One after the other, each of them whatever became of the others. */
export const runChecks = async (progress: Progress, checks: ReadonlyArray<Check>): Promise<ReadonlyArray<Result>> => {
  const results: Array<Result> = []
  for (const check of checks) {
    progress(results.length, checks.length, check)
    results.push({ suite: check.suite, name: check.name, outcome: await outcomeOf(check) })
  }
  return results
}
