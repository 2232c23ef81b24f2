const widthOf = (rows: ReadonlyArray<ReadonlyArray<string>>, column: number): number =>
  Math.max(...rows.map((row) => row[column]?.length ?? 0))

/** Rows of text as lines, each column as wide as its widest cell. */
export const columns = (rows: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> =>
  rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widthOf(rows, column)))
      .join('  ')
      .trimEnd(),
  )
