import { visibly } from '@canopy/installation'
import type { Failed, Problem, Result } from '../Check.js'
import * as Report from './Report.js'

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const xml = (text: string): string => visibly(text).replace(/[&<>"]/g, (character) => entities[character] ?? character)

const told = ({ what, expected, got }: Problem): ReadonlyArray<string> => [
  what,
  ...(expected === undefined ? [] : [`  expected  ${expected}`]),
  ...(got === undefined ? [] : [`  got       ${got}`]),
]

const failure = ({ problems, again }: Failed): string => {
  const lines = [...problems.flatMap(told), ...(again === undefined ? [] : [`again  ${again}`])]
  return `<failure message="${xml(problems[0]?.what ?? '')}">${lines.map(xml).join('\n')}</failure>`
}

const inside = ({ outcome }: Result): string => {
  switch (outcome.is) {
    case 'passed':
      return ''
    case 'failed':
      return failure(outcome)
    case 'not run':
      return `<skipped message="${xml(outcome.why)}"/>`
  }
}

const testCase = (result: Result): string =>
  `    <testcase classname="${xml(result.suite)}" name="${xml(result.name)}">${inside(result)}</testcase>`

const attributes = (name: string, results: ReadonlyArray<Result>): string => {
  const { failed, notRun } = Report.count(results)
  return `name="${xml(name)}" tests="${results.length}" failures="${failed}" errors="0" skipped="${notRun}"`
}

/** The XML that most build servers read. */
export const junit = ({ title, results }: Report.Report): string =>
  [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${attributes(title, results)}>`,
    ...Report.suites(results).flatMap((suite) => [
      `  <testsuite ${attributes(suite.name, suite.results)}>`,
      ...suite.results.map(testCase),
      '  </testsuite>',
    ]),
    '</testsuites>',
    '',
  ].join('\n')
