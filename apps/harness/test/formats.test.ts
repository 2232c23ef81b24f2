import { readFile } from 'node:fs/promises'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { validateXML } from 'xmllint-wasm'
import { formats, type Report } from '../src/formats.js'

const textAt = (path: string) => readFile(new URL(path, import.meta.url), 'utf8')

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
  expect(formats.junit(nastyReport)).toContain('name="fails a &lt;b&gt; &amp; &quot;c&quot; ')
  const schema = [await textAt('./junit.xsd')]
  for (const results of [nastyReport.results, []]) {
    const xml = [{ fileName: 'report.xml', contents: formats.junit({ ...nastyReport, results }) }]
    expect((await validateXML({ xml, schema })).errors).toEqual([])
  }
})

it('as Markdown, a report has a verdict for each suite and the names of failed checks', () => {
  const text = formats.markdown(nastyReport)
  expect(text).toContain('\n| one | failed | 1 | 1 | 0 |\n')
  expect(text).toMatch(/\n\| two .* \| not run \| 0 \| 0 \| 1 \|\n\n- failed: one: fails a \\<b\\> /)
  expect(formats.markdown(goodReport)).toMatch(/\n\| one \| passed \| 1 \| 0 \| 0 \|\n$/)
})

it('as JSON, a report is one document that conforms to docs/report.schema.json', async () => {
  const { title, notes, results } = nastyReport
  const report = JSON.parse(formats.json(nastyReport))
  const validate = new Ajv().compile(JSON.parse(await textAt('../../../docs/report.schema.json')))
  expect([validate(report), validate.errors]).toEqual([true, null])
  const checks = results.map(({ suite, name, outcome: { is, ...rest } }) => ({ suite, name, outcome: is, ...rest }))
  expect(report).toMatchObject({ title, notes, verdict: 'failed', passed: 1, failed: 1, notRun: 1, checks })
})
