import { Name } from '@canopy/domain'
import * as fc from 'fast-check'
import { character } from './character.js'

/** Names that begin alike, so that text that begins alike is taken for the same place, or sorted wrongly, where it can be. */
export const alike: fc.Arbitrary<string> = fc.constantFrom('a', 'a.', 'ab', 'a-b', 'a b', 'a0', 'A', 'b')

const written = ['%', '%2F', '%2e%2e', 'a%', '?', '#', 'a?b=c', '\\', '..\\a', '<b>', '&', '"', "'", '`', '$HOME', '|']
const spaced = [
  ' ',
  'a ',
  ' a',
  '\n',
  'a\r\nb',
  '\t',
  '\u0001',
  '\u007f',
  '\u0080',
  '\u2028',
  '\u200b',
  '\u202egpj.exe',
]
const pointed = ['...', '.a', '..a', 'a..', '~', '-', '--help', '*', '+', ':', 'C:', ';', ',', 'index.html']
const numbers = ['0', '42', '007', '1e3']
const words = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined']
/** Composed and decomposed, upper and lower case: names that a careless disk would take for one. */
const normalised = [
  '\u00e9',
  'e\u0301',
  'a\u00e9',
  'ae\u0301',
  '\u00df',
  'SS',
  '\u0130',
  'i\u0307',
  '\ufeff',
  '\ufeffa',
]
/** Their order in UTF-16 is not their order in UTF-8. */
const ordered = ['\uff5e', '\u{1f600}', '\u{1f600}a', '\ue000', '\ufffd', '\uffff', '\u{10000}', '\u{10ffff}']

/** Each of these has been mistaken for something else by some program. */
const odd = fc.constantFrom(...written, ...spaced, ...pointed, ...numbers, ...words, ...normalised, ...ordered)

const longest: fc.Arbitrary<string> = fc.constantFrom(
  'x'.repeat(255),
  `${'\u00e9'.repeat(127)}x`,
  '\uff5e'.repeat(85),
  `${'\u{1f600}'.repeat(63)}abc`,
)

/** Odd but legal. */
export const name: fc.Arbitrary<Name.Name> = fc
  .oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: alike },
    { weight: 4, arbitrary: odd },
    { weight: 3, arbitrary: fc.string({ unit: character, minLength: 1, maxLength: 8 }) },
    { weight: 1, arbitrary: longest },
  )
  .filter(Name.is)
