import { expect, it } from 'vitest'
import { visibly } from '../src/commandLine.js'

it('what a terminal would act on, or not show, is spelled out', () => {
  expect(visibly('a\u001b[2Jb\nc\u0085')).toBe('a\\u{1b}[2Jb\\u{a}c\\u{85}')
  // The direction of a line, a space without width, a language tag; separators of lines; what XML forbids.
  expect(visibly('\u202egpj.exe\u200b\u{e0001}')).toBe('\\u{202e}gpj.exe\\u{200b}\\u{e0001}')
  expect(visibly('\u2028\u2029\ud800\uffff')).toBe('\\u{2028}\\u{2029}\\u{d800}\\u{ffff}')
  expect(visibly('/é/\u65e5\u672c/a b\ufffd')).toBe('/é/\u65e5\u672c/a b\ufffd')
})
