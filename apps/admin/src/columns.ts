import { visibly } from '@canopy/installation'

/** Of each column, in UTF-16 code units. */
const widthsOf = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<number> => {
  const widths: Array<number> = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return widths
}

/** Rows of text as lines, each column as wide as its widest cell, as it will be printed. */
export const columns = (cells: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const rows = cells.map((row) => row.map(visibly))
  const widths = widthsOf(rows)
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}
