import { describe, expect, it } from 'vitest'
import { formats, type Report } from '../src/formats.js'
import { problemsIn } from './problemsIn.js'

const nasty = 'a <b> & "c" \'d\' # e \\ f\ng\u001b[31m ]]> \u202e \ud800 \ufffe é'

const nastyReport: Report = {
  title: `title ${nasty}`,
  notes: [`note ${nasty}`],
  results: [
    { suite: 'one', name: 'passes', outcome: { is: 'passed' } },
    {
      suite: 'one',
      name: `fails ${nasty}`,
      outcome: {
        is: 'failed',
        problems: [{ what: 'status', expected: '200', got: '404' }, { what: `sentence ${nasty}` }],
        repeat: `curl ${nasty}`,
      },
    },
    { suite: `two ${nasty}`, name: 'waits', outcome: { is: 'not run', reason: `why ${nasty}` } },
  ],
}

const goodReport: Report = { title: 'title', notes: [], results: nastyReport.results.slice(0, 1) }

const idleReport: Report = { title: 'title', notes: [], results: nastyReport.results.slice(2) }

/** Unsafe on a terminal or in XML. The formats themselves print line feeds. */
const unprintable = /[^\P{C}\n]|[\u2028\u2029\ufffe\uffff]/u

it.each([
  ['text', formats.text],
  ['JSON', formats.json],
  ['junit', formats.junit],
  ['Markdown', formats.markdown],
])('as %s a report escapes unprintable characters and keeps letters beyond ASCII', (_, format) => {
  expect(format(nastyReport)).not.toMatch(unprintable)
  expect(format(nastyReport)).toContain('é')
})

describe('for people, a report', () => {
  it('shows the expected and the actual response, and a command to repeat', () => {
    const text = formats.text(nastyReport)
    expect(text).toContain('  status\n    expected  200\n    got       404\n')
    expect(text).toMatch(/^ {2}repeat {2}curl /m)
    expect(text).toMatch(/^NOT RUN {2}1: why .*\n {2}two .*: waits$/m)
    expect(text).toMatch(/^NOTE {2}note /m)
  })

  it('groups checks that were not run by their reason', () => {
    const outcome = { is: 'not run', reason: 'because' } as const
    const results = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ suite: 's', name, outcome }))
    const listed = '\nNOT RUN  5: because\n  s: a\n  s: b\n  s: c\n  and 2 more\n'
    expect(formats.text({ ...nastyReport, results })).toContain(listed)
  })

  it('ends with the verdict', () => {
    expect(formats.text(nastyReport)).toMatch(/\n\nFAILED: 1 passed, 1 failed, 1 not run\n$/)
    expect(formats.text(goodReport)).toMatch(/\n\nPASSED: 1 passed\n$/)
    expect(formats.text(idleReport)).toMatch(/\n\nFAILED: 0 passed, 1 not run\n$/)
  })
})

it('as JUnit, a report conforms to the schema of build servers, even without results', async () => {
  const xml = formats.junit(nastyReport)
  expect(xml).toContain('name="fails a &lt;b&gt; &amp; &quot;c&quot; ')
  expect(await problemsIn.junit(xml)).toEqual([])
  expect(await problemsIn.junit(formats.junit({ ...nastyReport, results: [] }))).toEqual([])
  expect(await problemsIn.junit(xml.replace('</failure>', ''))).not.toEqual([])
})

it('as Markdown, a report has a verdict for each suite and the names of failed checks', () => {
  const text = formats.markdown(nastyReport)
  expect(text).toContain('\n| one | failed | 1 | 1 | 0 |\n')
  expect(text).toMatch(/\n\| two .* \| not run \| 0 \| 0 \| 1 \|\n\n- failed: one: fails a \\<b\\> /)
  expect(formats.markdown(goodReport)).toMatch(/\n\| one \| passed \| 1 \| 0 \| 0 \|\n$/)
})

it('as JSON, a report is one document that conforms to docs/report.schema.json', async () => {
  const { title, notes, results } = nastyReport
  const json = formats.json(nastyReport)
  expect(await problemsIn.json(json)).toEqual([])
  expect(await problemsIn.json(formats.json({ ...nastyReport, notes: [1 as never] }))).not.toEqual([])
  const checks = results.map(({ suite, name, outcome: { is, ...rest } }) => ({ suite, name, outcome: is, ...rest }))
  expect(JSON.parse(json)).toMatchObject({ title, notes, verdict: 'failed', passed: 1, failed: 1, notRun: 1, checks })
})
