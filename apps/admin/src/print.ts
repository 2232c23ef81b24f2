import { visibly } from '@canopy/installation'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as Json from './Json.js'
import type { Problem } from './Problem.js'
import type { Report } from './Report.js'

/** What a finished command leaves behind. */
export interface Printed {
  readonly stdout: string
  readonly stderr: string
  readonly exit: 0 | 1 | 2
  /** To be said when standard output took it not. */
  readonly unseen?: string
}

const linesOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${visibly(line)}\n`).join('')

/** A token typed in the wrong place may be in a message about it. */
const withoutTokens = (message: string): string => message.replace(/cnp_[A-Za-z0-9_-]+/g, 'cnp_(not shown)')

const printProblem = (json: boolean, { error, message, exit }: Problem): Printed =>
  json
    ? { stdout: `${Json.text({ error, message: withoutTokens(message) })}\n`, stderr: '', exit }
    : { stdout: '', stderr: linesOf(`canopy: ${withoutTokens(message)}`.split('\n')), exit }

const printReport = (json: boolean, report: Report): Printed => ({
  stdout: json ? `${Json.text(report.json)}\n` : linesOf(report.lines),
  stderr: '',
  exit: report.exit,
  ...(report.unseen === undefined ? {} : { unseen: report.unseen }),
})

/** With `json`, exactly one JSON document on stdout, whatever happened; else text, problems on stderr. */
export const print =
  (json: boolean) =>
  (outcome: E.Either<Problem, Report>): Printed =>
    pipe(
      outcome,
      E.match(
        (problem) => printProblem(json, problem),
        (report) => printReport(json, report),
      ),
    )
