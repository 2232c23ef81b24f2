import type { Outcome } from './Command.js'
import { formats } from './report/formats.js'
import { humanText } from './report/humanText.js'
import * as Report from './report/Report.js'

/** What a command with a report leaves behind. */
export const reported =
  (format: string) =>
  (report: Report.Report): Outcome => ({
    stdout: (formats[format] ?? humanText)(report),
    exit: Report.isGood(report) ? 0 : 1,
  })
