import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import * as Json from '../src/Json.js'
import { failed, wrongUsage } from '../src/Problem.js'
import { print } from '../src/print.js'
import { report } from '../src/Report.js'

describe('what a command prints', () => {
  it('is text, with control characters made visible: a name may hold an escape sequence', () => {
    expect(print(false)(E.right(report(null, ['a\u001b[2Jb\nc', 'é', '\u202egpj'])))).toEqual({
      stdout: 'a\\u{1b}[2Jb\\u{a}c\né\n\\u{202e}gpj\n',
      stderr: '',
      exit: 0,
    })
  })

  it('is with --json one JSON document, with raw JSON passed on as it is', () => {
    const json = { n: null, raw: Json.raw('{"a":1e400,"b":1.0}'), list: [true, 1, 'x"y'], '\n': {} }
    expect(print(true)(E.right({ ...report(json, ['text']), exit: 1 }))).toEqual({
      stdout: '{"n":null,"raw":{"a":1e400,"b":1.0},"list":[true,1,"x\\"y"],"\\n":{}}\n',
      stderr: '',
      exit: 1,
    })
  })

  it('is for a failure a message on stderr, and with --json a document on stdout', () => {
    expect(print(false)(E.left(failed('external')('no\nway')))).toEqual({
      stdout: '',
      stderr: 'canopy: no\nway\n',
      exit: 1,
    })
    expect(print(true)(E.left(wrongUsage('no')))).toEqual({
      stdout: '{"error":"wrong usage","message":"no"}\n',
      stderr: '',
      exit: 2,
    })
  })

  it('never shows a token in a failure', () => {
    const message = `there is no cnp_${'x'.repeat(43)} here`
    expect(print(false)(E.left(wrongUsage(message))).stderr).toBe('canopy: there is no cnp_(not shown) here\n')
    expect(print(true)(E.left(wrongUsage(message))).stdout).not.toContain('xxx')
  })
})
