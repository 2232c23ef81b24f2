import { visibly } from '@canopy/installation'
import {
  count,
  type Failed,
  failures,
  isGood,
  notRuns,
  type Problem,
  type Report,
  type Result,
  suitesIn,
  type With,
  type Written,
} from './Command.js'

/** What is wrong, and below it what was expected and what came. */
const problemLines =
  (shown: (text: string) => string) =>
  ({ what, expected, got }: Problem): ReadonlyArray<string> => [
    shown(what),
    ...(expected === undefined ? [] : [`  expected  ${shown(expected)}`]),
    ...(got === undefined ? [] : [`  got       ${shown(got)}`]),
  ]

// For people

const longest = 2_000

const shortened = (text: string): string => {
  const whole = visibly(text)
  return whole.length <= longest ? whole : `${whole.slice(0, longest)}… (${whole.length} characters in all)`
}

const counted = (results: ReadonlyArray<Result>): string => {
  const { passed, failed, notRun } = count(results)
  const others = [...(failed === 0 ? [] : [`${failed} failed`]), ...(notRun === 0 ? [] : [`${notRun} not run`])]
  return [`${passed} passed`, ...others].join(', ')
}

const suiteLines = ({ results }: Report): ReadonlyArray<string> => {
  const suites = suitesIn(results).map((suite) => ({ ...suite, name: visibly(suite.name) }))
  const width = Math.max(0, ...suites.map(({ name }) => name.length))
  return suites.map((suite) => `${suite.name.padEnd(width)}  ${counted(suite.results)}`)
}

const failureLines = ({ suite, name, outcome: { problems, again } }: With<Failed>) => [
  '',
  `FAILED  ${visibly(`${suite}: ${name}`)}`,
  ...problems.flatMap(problemLines(shortened)).map((line) => `  ${line}`),
  ...(again === undefined ? [] : [`  again  ${visibly(again)}`]),
]

const shownOfEach = 3

/** Those that were not run for the same reason stand together. */
const notRunLines = ({ results }: Report): ReadonlyArray<string> => {
  const all = notRuns(results)
  return [...new Set(all.map(({ outcome }) => outcome.why))].flatMap((why) => {
    const names = all.filter(({ outcome }) => outcome.why === why).map(({ suite, name }) => `${suite}: ${name}`)
    const more = names.length - shownOfEach
    return [
      '',
      `NOT RUN  ${names.length}: ${visibly(why)}`,
      ...names.slice(0, shownOfEach).map((name) => `  ${visibly(name)}`),
      ...(more > 0 ? [`  and ${more} more`] : []),
    ]
  })
}

const text = (report: Report): string =>
  [
    visibly(report.title),
    '',
    ...suiteLines(report),
    ...failures(report.results).flatMap(failureLines),
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
  return `${JSON.stringify({ title, verdict, ...count(results), notes, checks })}\n`
}

// The XML that most build servers read

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const xml = (raw: string): string => visibly(raw).replace(/[&<>"]/g, (character) => entities[character] ?? character)

const inside = ({ outcome }: Result): string => {
  switch (outcome.is) {
    case 'passed':
      return ''
    case 'failed': {
      const { problems, again } = outcome
      const lines = [
        ...problems.flatMap(problemLines((raw) => raw)),
        ...(again === undefined ? [] : [`again  ${again}`]),
      ]
      return `<failure message="${xml(problems[0]?.what ?? '')}">${lines.map(xml).join('\n')}</failure>`
    }
    case 'not run':
      return `<skipped message="${xml(outcome.why)}"/>`
  }
}

const testCase = (result: Result): string =>
  `    <testcase classname="${xml(result.suite)}" name="${xml(result.name)}">${inside(result)}</testcase>`

const attributes = (name: string, results: ReadonlyArray<Result>): string =>
  `name="${xml(name)}" tests="${results.length}" failures="${count(results).failed}" errors="0"`

const junit = ({ title, results }: Report): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes(title, results)}>`,
    ...suitesIn(results).flatMap((suite) => [
      `  <testsuite ${attributes(suite.name, suite.results)} skipped="${count(suite.results).notRun}">`,
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
  (report: Report): Written => ({ stdout: formats[format](report), exit: isGood(report) ? 0 : 1 })
