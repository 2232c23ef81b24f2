import { shownRatio, shownSpread } from './numbers.mjs'

const header = ['', 'Canopy', 'against', 'its figure', 'ratio', 'target', '']

const targetOf = ({ atLeast, atMost }) => (atLeast === undefined ? `at most ${atMost}` : `at least ${atLeast}`)

/** @returns the cells of a row */
const cells = ({ what, unit, canopy, reference, ratio, target }) => [
  what,
  `${shownSpread(canopy)} ${unit}`,
  reference?.name ?? '',
  reference === undefined ? '' : (reference.missing ?? shownSpread(reference)),
  ratio === undefined ? '' : shownRatio(ratio),
  target === undefined ? '' : targetOf(target),
  target?.verdict ?? '',
]

/** A Markdown table whose columns are as wide as their widest cell. */
export const table = (rows) => {
  const lines = [header, ...rows.map(cells)]
  const widths = header.map((_, column) => Math.max(3, ...lines.map((line) => line[column].length)))
  const joined = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  const [first, ...rest] = lines.map(joined)
  return [first, rule, ...rest].join('\n')
}
