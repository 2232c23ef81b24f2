import { visibly } from '@canopy/installation'
import type { Counts } from '@canopy/registry/admin'
import widthOf from 'fast-string-width'

/** The result of a command, for programs and for people. `exit` is 1 when something needs attention. */
export interface Report {
  /** Plain data, with numbers of `lossless-json`. Properties that are `undefined` are omitted. */
  readonly json: unknown
  readonly lines: ReadonlyArray<string>
  readonly exit: 0 | 1
  /** Commands that undo this one, to run when its output is lost and cannot be repeated. */
  readonly undo?: ReadonlyArray<ReadonlyArray<string>>
  /** The server to run after the command, until it ends. Then `undo` runs too. */
  readonly service?: Service
}

export interface Service {
  /** Shown in the browser of a person at a terminal. */
  readonly page?: string | undefined
}

export const report = (json: unknown, lines: ReadonlyArray<string>): Report => ({ json, lines, exit: 0 })

/** Pads each column to its widest cell, measured as a terminal shows it. */
export const alignColumns = (cells: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
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

/** Aligned rows below their headings, or `empty` instead of an empty table. */
export const table = (headings: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>, empty: string) =>
  rows.length === 0 ? [empty] : alignColumns([headings, ...rows])

/** Returns `1 token`, `2 tokens`. */
export const withCount = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

/** Returns `2 accounts, 1 token, 0 settings, 0 rules, 1 trigger`. */
export const describeCounts = ({ accounts, tokens, settings, rules, triggers }: Counts): string =>
  [
    withCount(accounts, 'account'),
    withCount(tokens, 'token'),
    withCount(settings, 'setting'),
    withCount(rules, 'rule'),
    withCount(triggers, 'trigger'),
  ].join(', ')
