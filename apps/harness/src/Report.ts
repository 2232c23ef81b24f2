import type { Failed, NotRun, Result } from './Check.js'

export interface Report {
  /** What was looked into. */
  readonly title: string
  readonly results: ReadonlyArray<Result>
  /** What may explain the results. */
  readonly notes: ReadonlyArray<string>
}

interface Counts {
  readonly passed: number
  readonly failed: number
  readonly notRun: number
}

export type With<Outcome> = Result & { readonly outcome: Outcome }

export const failures = (results: ReadonlyArray<Result>): ReadonlyArray<With<Failed>> =>
  results.filter((result): result is With<Failed> => result.outcome.is === 'failed')

export const notRuns = (results: ReadonlyArray<Result>): ReadonlyArray<With<NotRun>> =>
  results.filter((result): result is With<NotRun> => result.outcome.is === 'not run')

export const count = (results: ReadonlyArray<Result>): Counts => {
  const failed = failures(results).length
  const notRun = notRuns(results).length
  return { passed: results.length - failed - notRun, failed, notRun }
}

/** Nothing failed; and something passed, since a run without a single answer shows nothing. */
export const isGood = ({ results }: Report): boolean => {
  const { passed, failed } = count(results)
  return failed === 0 && passed > 0
}

export const suites = (
  results: ReadonlyArray<Result>,
): ReadonlyArray<{ readonly name: string; readonly results: ReadonlyArray<Result> }> =>
  [...new Set(results.map(({ suite }) => suite))].map((name) => ({
    name,
    results: results.filter(({ suite }) => suite === name),
  }))
