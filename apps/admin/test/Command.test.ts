import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { requireConfirmation } from '../src/Command.js'
import { problem, wrongUsage } from '../src/Problem.js'
import { alignColumns, report } from '../src/Report.js'
import { print } from '../src/run.js'

describe('the output of a command', () => {
  it('shows control characters of names as text', () => {
    expect(print(false)(E.right(report(null, ['a\u001b[2Jb\nc', 'é', '\u202egpj'])))).toEqual({
      stdout: 'a\\u{1b}[2Jb\\u{a}c\né\n\\u{202e}gpj\n',
      stderr: '',
      exit: 0,
    })
  })

  it('escapes control and format characters in JSON, which parses to the same value', () => {
    const json = { name: 'a\u0085\u202egpj\u200b\u{e0001}\u007fé\u65e5\ud800' }
    const { stdout } = print(true)(E.right(report(json, [])))
    expect(stdout).toBe('{"name":"a\\u0085\\u202egpj\\u200b\\udb40\\udc01\\u007fé\u65e5\\ud800"}\n')
    expect(JSON.parse(stdout)).toEqual(json)
    expect(print(true)(E.left(wrongUsage('\u202e'))).stdout).toBe('{"error":"invalid usage","message":"\\u202e"}\n')
  })

  it('shows control characters in questions as text', async () => {
    const asked: Array<string> = []
    await requireConfirmation(
      { confirm: async (question) => asked.push(question) > 0 },
      { question: ['a\u001b[2J', 'b?'], hint: '', refusal: '' },
    )()
    expect(asked).toEqual(['a\\u{1b}[2J\nb? [y/N] '])
  })

  it('shows control characters in messages of failures as text, on stderr', () => {
    const stderr = 'canopy: no\nw\\u{1b}ay\n'
    expect(print(false)(E.left(problem('external')('no\nw\u001bay')))).toEqual({ stdout: '', stderr, exit: 1 })
  })

  it('of a failure shows no token', () => {
    const message = `there is no cnp_${'x'.repeat(43)} here`
    expect(print(false)(E.left(wrongUsage(message))).stderr).toBe('canopy: there is no cnp_(not shown) here\n')
    expect(print(true)(E.left(wrongUsage(message))).stdout).not.toContain('xxx')
  })
})

describe('columns', () => {
  it('are padded to their widest printed cell', () => {
    const rows = [
      ['NAME', 'AGE', ''],
      ['a\tb', '1', 'old'],
      ['longest', '10'],
    ]
    expect(alignColumns(rows)).toEqual(['NAME     AGE', 'a\\u{9}b  1    old', 'longest  10'])
    expect(alignColumns([])).toEqual([])
  })

  it('are aligned as a terminal shows wide and combining characters', () => {
    const rows = [
      ['\u65e5\u672c', 'x'],
      ['e\u0301', 'x'],
      ['\u{1f389}', 'x'],
    ]
    expect(alignColumns(rows)).toEqual(['\u65e5\u672c  x', 'e\u0301     x', '\u{1f389}    x'])
  })

  it('hold as many rows as an account has settings', () => {
    const lines = alignColumns(Array.from({ length: 300_000 }, (_, row) => [String(row), 'public']))
    expect([lines.length, lines[7]]).toEqual([300_000, '7       public'])
  })
})
