import { visibleJson, visibly } from '@canopy/installation'
import type { Outcome, Problem, Result } from './Check.js'
import { type Printed, printed } from './Command.js'

export interface Report {
  readonly title: string
  readonly results: ReadonlyArray<Result>
  /** Hints that may explain the results. */
  readonly notes: ReadonlyArray<string>
}

export const printReport =
  (format: Format) =>
  (report: Report): Printed =>
    printed(formats[format](report), hasPassed(report) ? 0 : 1)

export type Format = keyof typeof formats

const countOutcomes = (results: ReadonlyArray<Result>) => {
  const count = (is: Outcome['is']) => results.filter(({ outcome }) => outcome.is === is).length
  return { passed: count('passed'), failed: count('failed'), notRun: count('not run') }
}

/** At least one check passed, because a run without a single response proves no conformance. */
const hasPassed = ({ results }: Report): boolean => {
  const { passed, failed } = countOutcomes(results)
  return failed === 0 && passed > 0
}

const groupBySuite = (results: ReadonlyArray<Result>) =>
  [...new Set(results.map(({ suite }) => suite))].map((name) => ({
    name,
    results: results.filter(({ suite }) => suite === name),
  }))

const problemLines = (
  problems: ReadonlyArray<Problem>,
  repeat: string | undefined,
  format: (text: string) => string,
): ReadonlyArray<string> => [
  ...problems.flatMap(({ what, expected, got }) => [
    format(what),
    ...(expected === undefined ? [] : [`  expected  ${format(expected)}`]),
    ...(got === undefined ? [] : [`  got       ${format(got)}`]),
  ]),
  ...(repeat === undefined ? [] : [`repeat  ${repeat}`]),
]

// Text for people

const text = (report: Report): string =>
  [
    visibly(report.title),
    '',
    ...suiteLines(report),
    ...report.results.flatMap(failureLines),
    ...notRunLines(report),
    ...report.notes.flatMap((note) => ['', `NOTE  ${visibly(note)}`]),
    '',
    `${hasPassed(report) ? 'PASSED' : 'FAILED'}: ${describeCounts(report.results)}`,
    '',
  ].join('\n')

const suiteLines = ({ results }: Report): ReadonlyArray<string> => {
  const suites = groupBySuite(results).map((suite) => ({ ...suite, name: visibly(suite.name) }))
  const width = Math.max(0, ...suites.map(({ name }) => name.length))
  return suites.map((suite) => `${suite.name.padEnd(width)}  ${describeCounts(suite.results)}`)
}

const describeCounts = (results: ReadonlyArray<Result>): string => {
  const { passed, failed, notRun } = countOutcomes(results)
  const others = [...(failed === 0 ? [] : [`${failed} failed`]), ...(notRun === 0 ? [] : [`${notRun} not run`])]
  return [`${passed} passed`, ...others].join(', ')
}

const failureLines = ({ suite, name, outcome }: Result): ReadonlyArray<string> =>
  outcome.is !== 'failed'
    ? []
    : [
        '',
        `FAILED  ${visibly(`${suite}: ${name}`)}`,
        ...problemLines(outcome.problems, outcome.repeat && visibly(outcome.repeat), shorten).map(
          (line) => `  ${line}`,
        ),
      ]

const maxTextLength = 2_000

const shorten = (text: string): string => {
  const whole = visibly(text)
  return whole.length <= maxTextLength ? whole : `${whole.slice(0, maxTextLength)}… (${whole.length} characters in all)`
}

const maxNames = 3

/** Groups checks by the reason. */
const notRunLines = ({ results }: Report): ReadonlyArray<string> => {
  const namesByReason = new Map<string, ReadonlyArray<string>>()
  for (const { suite, name, outcome } of results)
    if (outcome.is === 'not run')
      namesByReason.set(outcome.reason, [...(namesByReason.get(outcome.reason) ?? []), `${suite}: ${name}`])
  return [...namesByReason].flatMap(([reason, names]) => [
    '',
    `NOT RUN  ${names.length}: ${visibly(reason)}`,
    ...names.slice(0, maxNames).map((name) => `  ${visibly(name)}`),
    ...(names.length > maxNames ? [`  and ${names.length - maxNames} more`] : []),
  ])
}

// Markdown to publish: a verdict for each suite, and the names of failed checks

const escapeMarkdown = (text: string): string => visibly(text).replace(/[\\`*_[\]<>|#]/g, '\\$&')

const markdown = (report: Report): string => {
  const rows = groupBySuite(report.results).map(({ name, results }) => {
    const { passed, failed, notRun } = countOutcomes(results)
    const verdict = failed > 0 ? 'failed' : passed > 0 ? 'passed' : 'not run'
    return `| ${escapeMarkdown(name)} | ${verdict} | ${passed} | ${failed} | ${notRun} |`
  })
  const failures = report.results.filter(({ outcome }) => outcome.is === 'failed')
  return [
    `# ${escapeMarkdown(report.title)}`,
    '',
    '| suite | verdict | passed | failed | not run |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
    ...(failures.length === 0 ? [] : ['']),
    ...failures.map(({ suite, name }) => `- failed: ${escapeMarkdown(`${suite}: ${name}`)}`),
    '',
  ].join('\n')
}

// One JSON document for programs; docs/report.schema.json is its schema

const json = (report: Report): string => {
  const { title, notes, results } = report
  const verdict = hasPassed(report) ? 'passed' : 'failed'
  const checks = results.map(({ suite, name, outcome: { is, ...rest } }) => ({ suite, name, outcome: is, ...rest }))
  return `${visibleJson(JSON.stringify({ title, verdict, ...countOutcomes(results), notes, checks }))}\n`
}

// JUnit's XML, which most build servers read

const junit = ({ title, results }: Report): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes(title, results)}>`,
    ...groupBySuite(results).flatMap((suite) => [
      `  <testsuite ${attributes(suite.name, suite.results)} skipped="${countOutcomes(suite.results).notRun}">`,
      ...suite.results.map(testCase),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')

const attributes = (name: string, results: ReadonlyArray<Result>): string =>
  `name="${escapeXml(name)}" tests="${results.length}" failures="${countOutcomes(results).failed}" errors="0"`

const testCase = ({ suite, name, outcome }: Result): string =>
  `    <testcase classname="${escapeXml(suite)}" name="${escapeXml(name)}">${testCaseContent(outcome)}</testcase>`

const testCaseContent = (outcome: Outcome): string => {
  switch (outcome.is) {
    case 'passed':
      return ''
    case 'failed': {
      const lines = problemLines(outcome.problems, outcome.repeat, (line) => line).map(escapeXml)
      return `<failure message="${escapeXml(outcome.problems[0]?.what ?? '')}">${lines.join('\n')}</failure>`
    }
    case 'not run':
      return `<skipped message="${escapeXml(outcome.reason)}"/>`
  }
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escapeXml = (text: string): string =>
  visibly(text).replace(/[&<>"]/g, (character) => entities[character] ?? character)

/** By the argument of `--format`. */
export const formats = { text, junit, json, markdown } satisfies Readonly<Record<string, (report: Report) => string>>
