import { humanText } from './humanText.js'
import { jsonReport } from './jsonReport.js'
import { junit } from './junit.js'
import type { Report } from './Report.js'
import { tap } from './tap.js'

/** Every way of writing a report, by the name that `--format` takes. */
export const formats: Readonly<Record<string, (report: Report) => string>> = {
  text: humanText,
  tap,
  junit,
  json: jsonReport,
}
