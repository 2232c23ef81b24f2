import { describe, expect, it } from 'vitest'
import { formats, type Report } from '../src/formats.js'
import { problemsIn } from './problemsIn.js'

const nasty = 'a <b> & "c" \'d\' # e \\ f\ng\u001b[31m ]]> \u202e \ud800 \ufffe é'

/** Everything that a format could stumble over. */
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
        again: `curl ${nasty}`,
      },
    },
    { suite: `two ${nasty}`, name: 'waits', outcome: { is: 'not run', why: `why ${nasty}` } },
  ],
}

const goodReport: Report = { title: 'title', notes: [], results: nastyReport.results.slice(0, 1) }

const idleReport: Report = { title: 'title', notes: [], results: nastyReport.results.slice(2) }

/** What no terminal and no XML file should meet; a line feed is how the formats end their own lines. */
const unprintable = /[^\P{C}\n]|[\u2028\u2029\ufffe\uffff]/u

it.each([
  ['text', formats.text],
  ['JSON', formats.json],
  ['junit', formats.junit],
])('as %s a report holds nothing unprintable, whatever was answered, and keeps letters beyond ASCII', (_, format) => {
  expect(format(nastyReport)).not.toMatch(unprintable)
  expect(format(nastyReport)).toContain('é')
})

describe('for people, a report', () => {
  it('shows what was expected, what came, and how to ask again', () => {
    const text = formats.text(nastyReport)
    expect(text).toContain('  status\n    expected  200\n    got       404\n')
    expect(text).toMatch(/^ {2}again {2}curl /m)
    expect(text).toMatch(/^NOT RUN {2}1: why .*\n {2}two .*: waits$/m)
    expect(text).toMatch(/^NOTE {2}note /m)
  })

  it('puts together what was not run for the same reason, and counts it', () => {
    const outcome = { is: 'not run', why: 'because' } as const
    const results = ['a', 'b', 'c', 'd', 'e'].map((name) => ({ suite: 's', name, outcome }))
    const listed = '\nNOT RUN  5: because\n  s: a\n  s: b\n  s: c\n  and 2 more\n'
    expect(formats.text({ ...nastyReport, results })).toContain(listed)
  })

  it('ends with the verdict', () => {
    expect(formats.text(nastyReport)).toMatch(/\n\nFAILED: 1 passed, 1 failed, 1 not run\n$/)
    expect(formats.text(goodReport)).toMatch(/\n\nPASSED: 1 passed\n$/)
    expect(formats.text(idleReport)).toMatch(/\n\nFAILED: 0 passed, 1 not run\n$/)
  })

  it('shortens long answers', () => {
    const outcome = { is: 'failed' as const, problems: [{ what: 'x'.repeat(5_000) }] }
    expect(formats.text({ ...nastyReport, results: [{ suite: 's', name: 'n', outcome }] })).toContain(
      `${'x'.repeat(2_000)}… (5000 characters in all)`,
    )
  })
})

describe('as JUnit, a report', () => {
  const xml = formats.junit(nastyReport)

  it('escapes names and answers', () => {
    expect(xml).toContain('name="fails a &lt;b&gt; &amp; &quot;c&quot; ')
    expect(xml.replace(/<\/?[a-z]+( [a-z]+="[^"<]*")*\/?>|<\?xml [^>]*\?>/g, '')).not.toMatch(/[<>]/)
    expect(xml.replace(/&(amp|lt|gt|quot);/g, '')).not.toContain('&')
  })

  it('is valid where build servers read it, also where nothing was run', async () => {
    expect(await problemsIn.junit(xml)).toEqual([])
    expect(await problemsIn.junit(formats.junit({ ...nastyReport, results: [] }))).toEqual([])
    expect(await problemsIn.junit(xml.replace('</failure>', ''))).not.toEqual([])
  })

  it('counts per suite and in all', () => {
    expect(xml).toMatch(/<testsuites name="[^"]*" tests="3" failures="1" errors="0">/)
    expect(xml).toContain('<testsuite name="one" tests="2" failures="1" errors="0" skipped="0">')
  })
})

describe('as JSON, a report', () => {
  it('is valid by the schema that the page on conformance names', async () => {
    expect(await problemsIn.json(formats.json(nastyReport))).toEqual([])
    expect(await problemsIn.json(formats.json({ ...nastyReport, notes: [1 as never] }))).not.toEqual([])
  })

  it('is one document that holds everything', () => {
    const [passes, fails, waits] = nastyReport.results
    expect(JSON.parse(formats.json(nastyReport))).toMatchObject({
      title: nastyReport.title,
      verdict: 'failed',
      passed: 1,
      failed: 1,
      notRun: 1,
      notes: nastyReport.notes,
      checks: [
        { suite: 'one', name: passes?.name, outcome: 'passed' },
        { suite: 'one', name: fails?.name, outcome: 'failed', problems: [{ expected: '200', got: '404' }, {}] },
        { name: waits?.name, outcome: 'not run' },
      ],
    })
  })
})
