import type { Outcome } from './Command.js'
import { type Format, formats } from './report/formats.js'
import * as Report from './report/Report.js'

/** What a command with a report leaves behind. */
export const reported =
  (format: Format) =>
  (report: Report.Report): Outcome => ({
    stdout: formats[format](report),
    exit: Report.isGood(report) ? 0 : 1,
  })
