import { visibly } from '@canopy/installation'
import type { Counts } from '@canopy/registry/admin'
import widthOf from 'fast-string-width'

/** What a command answers: the same for a program and for a person. `exit` 1 says that something needs attention. */
export interface Report {
  /** Plain data, without what is `undefined`; its numbers may be those of `lossless-json`. */
  readonly json: unknown
  /** One line of text each. */
  readonly lines: ReadonlyArray<string>
  readonly exit: 0 | 1
  /** The words of the commands that undo it, where an answer that no one saw cannot be asked for again. */
  readonly undo?: ReadonlyArray<ReadonlyArray<string>>
}

export const report = (json: unknown, lines: ReadonlyArray<string>): Report => ({ json, lines, exit: 0 })

/** Rows of text as lines, each column as wide on a terminal as its widest cell. */
export const columns = (cells: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const rows = cells.map((row) =>
    row.map((cell) => {
      const text = visibly(cell)
      return { text, width: widthOf(text) }
    }),
  )
  const widths: Array<number> = []
  for (const row of rows)
    for (const [column, { width }] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, width)
  return rows.map((row) =>
    row
      .map(({ text, width }, column) => text + ' '.repeat((widths[column] ?? 0) - width))
      .join('  ')
      .trimEnd(),
  )
}

/** With its heads, or instead what is said where there are none. */
export const table = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>, none: string) =>
  rows.length === 0 ? [none] : columns([heads, ...rows])

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** `2 accounts, 1 token, 0 settings, 1 trigger`. */
export const rowsOf = ({ accounts, tokens, settings, triggers }: Counts): string =>
  [
    counted(accounts, 'account'),
    counted(tokens, 'token'),
    counted(settings, 'setting'),
    counted(triggers, 'trigger'),
  ].join(', ')
