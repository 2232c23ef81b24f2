import { advised, visibly } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { stringify } from 'lossless-json'
import type { Problem } from './Command.js'

/** What a command answers: the same for a program and for a person. `exit` 1 says that something needs attention. */
export interface Report {
  /** Plain data; its numbers may be those of `lossless-json`. */
  readonly json: unknown
  /** One line of text each. */
  readonly lines: ReadonlyArray<string>
  readonly exit: 0 | 1
  /** The words of the commands that undo it, where an answer that no one saw cannot be asked for again. */
  readonly undo?: ReadonlyArray<ReadonlyArray<string>>
}

export const report = (json: unknown, lines: ReadonlyArray<string>): Report => ({ json, lines, exit: 0 })

/** Rows of text as lines, each column as wide as its widest cell, as it will be printed. */
export const columns = (cells: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const rows = cells.map((row) => row.map(visibly))
  const widths: Array<number> = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  const padded = (cell: string, column: number): string => cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(padded).join('  ').trimEnd())
}

/** What a finished command leaves behind. */
export interface Printed {
  readonly stdout: string
  readonly stderr: string
  readonly exit: 0 | 1 | 2
  readonly undo?: Report['undo']
}

const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${visibly(line)}\n`).join('')

/** A token that was typed in the wrong place may be in a message about it. */
const hidden = (text: string): string => text.replace(/cnp_[A-Za-z0-9_-]+/g, 'cnp_(not shown)')

/** With `json`, exactly one JSON document on stdout, for a failure too; else text, problems on stderr. */
export const print =
  (json: boolean) =>
  (outcome: E.Either<Problem, Report>): Printed => {
    if (E.isRight(outcome)) {
      const { json: document, lines, ...rest } = outcome.right
      return { stdout: json ? `${stringify(document)}\n` : textOf(lines), stderr: '', ...rest }
    }
    const { error, exit } = outcome.left
    const message = hidden(outcome.left.message)
    const suggestion = outcome.left.suggestion && hidden(outcome.left.suggestion)
    return json
      ? { stdout: `${stringify({ error, message, suggestion })}\n`, stderr: '', exit }
      : { stdout: '', stderr: textOf(`canopy: ${advised(message, suggestion)}`.split('\n')), exit }
  }
