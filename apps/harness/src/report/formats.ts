import { humanText } from './humanText.js'
import { jsonReport } from './jsonReport.js'
import { junit } from './junit.js'
import type { Report } from './Report.js'
import { tap } from './tap.js'

/** Every way of writing a report, by the name that `--format` takes. */
export const formats = {
  text: humanText,
  tap,
  junit,
  json: jsonReport,
} satisfies Readonly<Record<string, (report: Report) => string>>

export type Format = keyof typeof formats
