import { visibly } from '@canopy/installation'
import type { Failed, Result } from '../Check.js'
import type * as Report from './Report.js'

const description = (text: string): string => visibly(text).replace(/[\\#]/g, '\\$&')

/** A JSON string is a YAML string, once nothing unprintable is in it. */
const yaml = (text: string): string => JSON.stringify(visibly(text))

const diagnostics = ({ problems, again }: Failed): ReadonlyArray<string> => [
  '  ---',
  '  problems:',
  ...problems.flatMap(({ what, expected, got }) => [
    `    - what: ${yaml(what)}`,
    ...(expected === undefined ? [] : [`      expected: ${yaml(expected)}`]),
    ...(got === undefined ? [] : [`      got: ${yaml(got)}`]),
  ]),
  ...(again === undefined ? [] : [`  again: ${yaml(again)}`]),
  '  ...',
]

const lines = ({ suite, name, outcome }: Result, index: number): ReadonlyArray<string> => {
  const point = `${index + 1} - ${description(`${suite}: ${name}`)}`
  switch (outcome.is) {
    case 'passed':
      return [`ok ${point}`]
    case 'failed':
      return [`not ok ${point}`, ...diagnostics(outcome)]
    case 'not run':
      return [`ok ${point} # SKIP ${description(outcome.why)}`]
  }
}

/** The Test Anything Protocol, version 14. */
export const tap = ({ title, results, notes }: Report.Report): string =>
  [
    'TAP version 14',
    `1..${results.length}`,
    `# ${visibly(title)}`,
    ...results.flatMap(lines),
    ...notes.map((note) => `# ${visibly(note)}`),
    '',
  ].join('\n')
