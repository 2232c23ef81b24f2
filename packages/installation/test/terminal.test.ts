import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { reasonOf, shellWord, visibleJson, visibly } from '../src/terminal.js'

it('control and invisible characters are escaped', () => {
  expect(visibly('a\u001b[2Jb\nc\u0085')).toBe('a\\u{1b}[2Jb\\u{a}c\\u{85}')
  // The direction of a line, a space without width, a language tag; separators of lines; what XML forbids.
  expect(visibly('\u202egpj.exe\u200b\u{e0001}')).toBe('\\u{202e}gpj.exe\\u{200b}\\u{e0001}')
  expect(visibly('\u2028\u2029\ud800\uffff')).toBe('\\u{2028}\\u{2029}\\u{d800}\\u{ffff}')
  expect(visibly('/é/\u65e5\u672c/a b\ufffd')).toBe('/é/\u65e5\u672c/a b\ufffd')
})

it('a JSON document with escapes has the same value', () => {
  const shown = visibleJson(JSON.stringify({ '\u202e\u{e0001}': ['\ud800', '\u0085\u2028é'] }))
  expect(shown).toBe('{"\\u202e\\udb40\\udc01":["\\ud800","\\u0085\\u2028é"]}')
})

const words = ['/photos/2026', '/a b', "/it's", '/$(date)', '/`x`', '/a\\b', '/"', '/*', '/é', '/~;&|<>#!']
const controls = [
  '/a\nb',
  '/a\\x0ab',
  '\u001b[31m',
  "/it's\t\\",
  '/\u0085end',
  '/0\u00010',
  '/\u202egpj.exe',
  '/\u{e0001}a',
]

it.each([
  ['sh', words],
  ['bash', [...words, ...controls]],
])('%s reads a quoted word unchanged', (shell, all) => {
  const quoted = all.map(shellWord).join(' ')
  expect(quoted).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  const env = { ...process.env, LC_ALL: 'C.UTF-8' }
  const printed = execFileSync(shell, ['-c', `printf '%s\\0' ${quoted}`], { encoding: 'utf8', env })
  expect(printed.split('\0').slice(0, -1)).toEqual(all)
})

it('a word has no more quotes and digits than it needs', () => {
  expect(['/a/b-c', '/a b', '\u001b\u202e'].map(shellWord)).toEqual(['/a/b-c', "'/a b'", "$'\\u001b\\u202e'"])
})

it('any thrown value is described in one line', () => {
  expect(reasonOf(new Error('no way'))).toBe('no way')
  expect(reasonOf(Object.assign(new Error(''), { code: 'ECONNREFUSED' }))).toBe('ECONNREFUSED')
  for (const code of [undefined, 5]) expect(reasonOf(Object.assign(new TypeError(''), { code }))).toBe('TypeError')
  expect(reasonOf({ error: 'external', cause: 'x'.repeat(99) })).toMatch(/^\{ error: 'external', cause: 'x+' \}$/)
  expect(reasonOf(undefined)).toBe('undefined')
})
