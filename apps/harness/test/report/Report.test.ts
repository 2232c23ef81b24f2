import { describe, expect, it } from 'vitest'
import { count, isGood } from '../../src/Command.js'
import { goodReport, idleReport, nastyReport } from './reports.js'

describe('a report', () => {
  it('counts what passed, failed and was not run', () => {
    expect(count(nastyReport.results)).toEqual({ passed: 1, failed: 1, notRun: 1 })
  })

  it('is good when something passed and nothing failed', () => {
    expect([goodReport, nastyReport, idleReport].map(isGood)).toEqual([true, false, false])
  })

  it('does not count what was not run as passed', () => {
    expect(count(idleReport.results).passed).toBe(0)
  })
})
