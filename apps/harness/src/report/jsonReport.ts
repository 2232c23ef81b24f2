import * as Report from './Report.js'

/** For programs: one JSON document. */
export const jsonReport = (report: Report.Report): string => {
  const { passed, failed, notRun } = Report.count(report.results)
  const checks = report.results.map(({ suite, name, outcome: { is, ...rest } }) => ({
    suite,
    name,
    outcome: is,
    ...rest,
  }))
  return `${JSON.stringify({
    title: report.title,
    verdict: Report.isGood(report) ? 'passed' : 'failed',
    passed,
    failed,
    notRun,
    notes: report.notes,
    checks,
  })}\n`
}
