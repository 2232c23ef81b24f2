import { visibleJson, visibly } from '@canopy/installation'
import { type Outcome, type Printed, type Problem, printed, type Result } from './Command.js'

export interface Report {
  /** What was looked into. */
  readonly title: string
  readonly results: ReadonlyArray<Result>
  /** What may explain the results. */
  readonly notes: ReadonlyArray<string>
}

const countOf = (results: ReadonlyArray<Result>) => {
  const of = (is: Outcome['is']) => results.filter(({ outcome }) => outcome.is === is).length
  return { passed: of('passed'), failed: of('failed'), notRun: of('not run') }
}

/** Nothing failed; and something passed, since a run without a single answer shows nothing. */
const isGood = ({ results }: Report): boolean => {
  const { passed, failed } = countOf(results)
  return failed === 0 && passed > 0
}

const suitesIn = (results: ReadonlyArray<Result>) =>
  [...new Set(results.map(({ suite }) => suite))].map((name) => ({
    name,
    results: results.filter(({ suite }) => suite === name),
  }))

/** What is wrong, and below it what was expected and what came; last how to ask again. */
const problemLines = (
  problems: ReadonlyArray<Problem>,
  again: string | undefined,
  shown: (text: string) => string,
): ReadonlyArray<string> => [
  ...problems.flatMap(({ what, expected, got }) => [
    shown(what),
    ...(expected === undefined ? [] : [`  expected  ${shown(expected)}`]),
    ...(got === undefined ? [] : [`  got       ${shown(got)}`]),
  ]),
  ...(again === undefined ? [] : [`again  ${again}`]),
]

// For people

const longest = 2_000

const shortened = (text: string): string => {
  const whole = visibly(text)
  return whole.length <= longest ? whole : `${whole.slice(0, longest)}… (${whole.length} characters in all)`
}

const counted = (results: ReadonlyArray<Result>): string => {
  const { passed, failed, notRun } = countOf(results)
  const others = [...(failed === 0 ? [] : [`${failed} failed`]), ...(notRun === 0 ? [] : [`${notRun} not run`])]
  return [`${passed} passed`, ...others].join(', ')
}

const suiteLines = ({ results }: Report): ReadonlyArray<string> => {
  const suites = suitesIn(results).map((suite) => ({ ...suite, name: visibly(suite.name) }))
  const width = Math.max(0, ...suites.map(({ name }) => name.length))
  return suites.map((suite) => `${suite.name.padEnd(width)}  ${counted(suite.results)}`)
}

const failureLines = ({ suite, name, outcome }: Result): ReadonlyArray<string> =>
  outcome.is !== 'failed'
    ? []
    : [
        '',
        `FAILED  ${visibly(`${suite}: ${name}`)}`,
        ...problemLines(outcome.problems, outcome.again && visibly(outcome.again), shortened).map(
          (line) => `  ${line}`,
        ),
      ]

const shownOfEach = 3

/** Those that were not run for the same reason are listed together. */
const notRunLines = ({ results }: Report): ReadonlyArray<string> => {
  const namesOf = new Map<string, ReadonlyArray<string>>()
  for (const { suite, name, outcome } of results)
    if (outcome.is === 'not run') namesOf.set(outcome.why, [...(namesOf.get(outcome.why) ?? []), `${suite}: ${name}`])
  return [...namesOf].flatMap(([why, names]) => [
    '',
    `NOT RUN  ${names.length}: ${visibly(why)}`,
    ...names.slice(0, shownOfEach).map((name) => `  ${visibly(name)}`),
    ...(names.length > shownOfEach ? [`  and ${names.length - shownOfEach} more`] : []),
  ])
}

const text = (report: Report): string =>
  [
    visibly(report.title),
    '',
    ...suiteLines(report),
    ...report.results.flatMap(failureLines),
    ...notRunLines(report),
    ...report.notes.flatMap((note) => ['', `NOTE  ${visibly(note)}`]),
    '',
    `${isGood(report) ? 'PASSED' : 'FAILED'}: ${counted(report.results)}`,
    '',
  ].join('\n')

// For programs: one JSON document

const json = (report: Report): string => {
  const { title, notes, results } = report
  const verdict = isGood(report) ? 'passed' : 'failed'
  const checks = results.map(({ suite, name, outcome: { is, ...rest } }) => ({ suite, name, outcome: is, ...rest }))
  return `${visibleJson(JSON.stringify({ title, verdict, ...countOf(results), notes, checks }))}\n`
}

// The XML that most build servers read

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const xml = (raw: string): string => visibly(raw).replace(/[&<>"]/g, (character) => entities[character] ?? character)

const inside = (outcome: Outcome): string => {
  switch (outcome.is) {
    case 'passed':
      return ''
    case 'failed': {
      const lines = problemLines(outcome.problems, outcome.again, (raw) => raw)
      return `<failure message="${xml(outcome.problems[0]?.what ?? '')}">${lines.map(xml).join('\n')}</failure>`
    }
    case 'not run':
      return `<skipped message="${xml(outcome.why)}"/>`
  }
}

const testCase = ({ suite, name, outcome }: Result): string =>
  `    <testcase classname="${xml(suite)}" name="${xml(name)}">${inside(outcome)}</testcase>`

const attributes = (name: string, results: ReadonlyArray<Result>): string =>
  `name="${xml(name)}" tests="${results.length}" failures="${countOf(results).failed}" errors="0"`

const junit = ({ title, results }: Report): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes(title, results)}>`,
    ...suitesIn(results).flatMap((suite) => [
      `  <testsuite ${attributes(suite.name, suite.results)} skipped="${countOf(suite.results).notRun}">`,
      ...suite.results.map(testCase),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')

/** Every way of writing a report, by the name that `--format` takes. */
export const formats = { text, junit, json } satisfies Readonly<Record<string, (report: Report) => string>>

export type Format = keyof typeof formats

/** What a command with a report leaves behind. */
export const reported =
  (format: Format) =>
  (report: Report): Printed =>
    printed(formats[format](report), isGood(report) ? 0 : 1)
