import { describe, expect, it } from 'vitest'
import { formats } from '../../src/formats.js'
import { problemsIn } from './problemsIn.js'
import { goodReport, idleReport, nastyReport } from './reports.js'

/** What no terminal and no XML file should meet; a line feed is how the formats end their own lines. */
const unprintable = /[^\P{C}\n]|[\u2028\u2029\ufffe\uffff]/u

describe.each([
  ['text', formats.text],
  ['tap', formats.tap],
  ['junit', formats.junit],
])('as %s', (_, format) => {
  it('a report holds nothing unprintable, whatever was answered', () => {
    expect(format(nastyReport)).not.toMatch(unprintable)
  })

  it('a report keeps letters beyond ASCII', () => {
    expect(format(nastyReport)).toContain('é')
  })
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
    const idle = ['a', 'b', 'c', 'd', 'e'].map((name) => ({
      suite: 's',
      name,
      outcome: { is: 'not run' as const, why: 'because' },
    }))
    expect(formats.text({ ...nastyReport, results: idle })).toContain(
      '\nNOT RUN  5: because\n  s: a\n  s: b\n  s: c\n  and 2 more\n',
    )
  })

  it('ends with the verdict', () => {
    expect(formats.text(nastyReport)).toMatch(/\n\nFAILED: 1 passed, 1 failed, 1 not run\n$/)
    expect(formats.text(goodReport)).toMatch(/\n\nPASSED: 1 passed\n$/)
    expect(formats.text(idleReport)).toMatch(/\n\nFAILED: 0 passed, 1 not run\n$/)
  })

  it('shortens long answers', () => {
    const [, failure] = nastyReport.results
    const long = { suite: 's', name: 'n', outcome: { ...failure?.outcome, problems: [{ what: 'x'.repeat(5_000) }] } }
    const text = formats.text({ ...nastyReport, results: [long as (typeof nastyReport.results)[0]] })
    expect(text).toContain(`${'x'.repeat(2_000)}… (5000 characters in all)`)
  })
})

describe('as the Test Anything Protocol, a report', () => {
  const lines = formats.tap(nastyReport).split('\n')

  it('has a version, a plan and a point for each check', () => {
    expect(lines.slice(0, 2)).toEqual(['TAP version 14', '1..3'])
    expect(lines.filter((line) => /^(not )?ok [1-3] - /.test(line)).length).toBe(3)
    expect(lines).toContain('ok 1 - one: passes')
  })

  it('escapes what would begin a directive', () => {
    expect(lines.find((line) => line.startsWith('not ok 2'))).toMatch(/^not ok 2 - one: fails a .* \\# e \\\\ f/)
    expect(lines.find((line) => line.startsWith('ok 3'))).toMatch(/^ok 3 - two .*: waits # SKIP why .* \\# e/)
  })

  it('tells problems as YAML in double quotes', () => {
    const block = lines.slice(lines.indexOf('  ---') + 1, lines.indexOf('  ...'))
    expect(block.slice(0, 4)).toEqual([
      '  problems:',
      '    - what: "status"',
      '      expected: "200"',
      '      got: "404"',
    ])
    for (const line of block.slice(1)) expect(() => JSON.parse(line.replace(/^[^"]*/, ''))).not.toThrow()
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
