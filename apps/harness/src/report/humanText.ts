import type { Failed, Problem } from '../Check.js'
import * as Report from './Report.js'
import { visibly } from './visibly.js'

const longest = 2_000

const shown = (text: string): string => {
  const whole = visibly(text)
  return whole.length <= longest ? whole : `${whole.slice(0, longest)}… (${whole.length} characters in all)`
}

const counted = ({ passed, failed, notRun }: Report.Counts): string =>
  [
    `${passed} passed`,
    ...(failed === 0 ? [] : [`${failed} failed`]),
    ...(notRun === 0 ? [] : [`${notRun} not run`]),
  ].join(', ')

const suiteLines = ({ results }: Report.Report): ReadonlyArray<string> => {
  const suites = Report.suites(results)
  const width = Math.max(0, ...suites.map(({ name }) => name.length))
  return suites.map((suite) => `${suite.name.padEnd(width)}  ${counted(Report.count(suite.results))}`)
}

const problemLines = ({ what, expected, got }: Problem): ReadonlyArray<string> => [
  `  ${shown(what)}`,
  ...(expected === undefined ? [] : [`    expected  ${shown(expected)}`]),
  ...(got === undefined ? [] : [`    got       ${shown(got)}`]),
]

const failureLines = ({ suite, name, outcome }: { suite: string; name: string; outcome: Failed }) => [
  '',
  `FAILED  ${suite}: ${visibly(name)}`,
  ...outcome.problems.flatMap(problemLines),
  ...(outcome.again === undefined ? [] : [`  again  ${visibly(outcome.again)}`]),
]

const verdict = (report: Report.Report): string =>
  `${Report.isGood(report) ? 'PASSED' : 'FAILED'}: ${counted(Report.count(report.results))}`

/** For people. */
export const humanText = (report: Report.Report): string =>
  [
    visibly(report.title),
    '',
    ...suiteLines(report),
    ...Report.failures(report.results).flatMap(failureLines),
    ...Report.notRuns(report.results).flatMap(({ suite, name, outcome }) => [
      '',
      `NOT RUN  ${suite}: ${visibly(name)}`,
      `  ${visibly(outcome.why)}`,
    ]),
    ...report.notes.flatMap((note) => ['', `NOTE  ${visibly(note)}`]),
    '',
    verdict(report),
    '',
  ].join('\n')
