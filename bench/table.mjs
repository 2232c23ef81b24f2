import { shown, shownRatio, shownSpread } from './numbers.mjs'

const boundOf = ({ atLeast, atMost }) => (atLeast === undefined ? `≤ ${atMost}` : `≥ ${atLeast}`)

const against = (target, text) => {
  if (target === undefined) return text
  return `${text}, ${boundOf(target)}${target.verdict === 'pass' ? '' : `: **${target.verdict}**`}`
}

/** Our figure, judged where nothing is compared with it. */
const ourCell = ({ unit, canopy, reference, ratio, target }) => {
  if (ratio !== undefined || reference?.missing !== undefined) return `${shown(canopy.median)} ${unit}`
  return against(target, `${shownSpread(canopy)} ${unit}`)
}

const theirCell = ({ reference, ratio, target }) => {
  if (reference.missing !== undefined) return against(target, reference.missing)
  return ratio === undefined ? shownSpread(reference) : against(target, shownRatio(ratio))
}

/** A Markdown table with a line for each thing measured and a column for each server it is compared with. */
export const table = (rows) => {
  const names = [...new Set(rows.flatMap(({ reference }) => reference?.name ?? []))]
  const lines = rows
    .filter(({ what }, index) => rows.findIndex((row) => row.what === what) === index)
    .map((first) => [
      first.what,
      ourCell(first),
      ...names.map((name) => {
        const row = rows.find(({ what, reference }) => what === first.what && reference?.name === name)
        return row === undefined ? '' : theirCell(row)
      }),
    ])
  const header = ['', 'figure', ...names]
  const widths = header.map((_, column) => Math.max(3, ...[header, ...lines].map((line) => line[column].length)))
  const joined = (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column])).join(' | ')} |`
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`
  return [joined(header), rule, ...lines.map(joined)].join('\n')
}
