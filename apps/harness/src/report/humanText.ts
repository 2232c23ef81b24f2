import { visibly } from '@canopy/installation'
import type { Failed, Problem } from '../Check.js'
import * as Report from './Report.js'

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
  const suites = Report.suites(results).map((suite) => ({ ...suite, name: visibly(suite.name) }))
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
  `FAILED  ${visibly(`${suite}: ${name}`)}`,
  ...outcome.problems.flatMap(problemLines),
  ...(outcome.again === undefined ? [] : [`  again  ${visibly(outcome.again)}`]),
]

const shownOfEach = 3

/** Those that were not run for the same reason stand together. */
const notRunLines = ({ results }: Report.Report): ReadonlyArray<string> => {
  const notRuns = Report.notRuns(results)
  return [...new Set(notRuns.map(({ outcome }) => outcome.why))].flatMap((why) => {
    const names = notRuns.filter(({ outcome }) => outcome.why === why).map(({ suite, name }) => `${suite}: ${name}`)
    const more = names.length - shownOfEach
    return [
      '',
      `NOT RUN  ${names.length}: ${visibly(why)}`,
      ...names.slice(0, shownOfEach).map((name) => `  ${visibly(name)}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ]
  })
}

const verdict = (report: Report.Report): string =>
  `${Report.isGood(report) ? 'PASSED' : 'FAILED'}: ${counted(Report.count(report.results))}`

/** For people. */
export const humanText = (report: Report.Report): string =>
  [
    visibly(report.title),
    '',
    ...suiteLines(report),
    ...Report.failures(report.results).flatMap(failureLines),
    ...notRunLines(report),
    ...report.notes.flatMap((note) => ['', `NOTE  ${visibly(note)}`]),
    '',
    verdict(report),
    '',
  ].join('\n')
