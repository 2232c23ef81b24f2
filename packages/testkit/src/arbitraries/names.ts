import { Name, StoragePath } from '@canopy/domain'
import * as fc from 'fast-check'

const surrogates = 0x800

/** Any character of Unicode, for `fc.string`. Its own unit `binary` first builds a table of all, for most of a second. */
export const character: fc.Arbitrary<string> = fc
  .integer({ min: 0, max: 0x10ffff - surrogates })
  .map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + surrogates))

/** Names with common prefixes, to detect comparisons by prefix and wrong orders. */
export const alike: fc.Arbitrary<string> = fc.constantFrom('a', 'a.', 'ab', 'a-b', 'a b', 'a0', 'A', 'b')

const blanks = [' ', 'a ', ' a', 'a b', '\t', '\n', 'line\nbreak', 'a\r\nb', '\r', '\u0001', '\u007f', '\u0080']
const escapes = ['%', '%2F', '%2e%2e', '%00', '%41', '%zz', 'a%', '+', '?', 'a?b=c', '#', '&', '=', ';', ',', ':', '@']
const quotes = ['"', "'", '`', '<b>', '{', '[', '(', '*', '|', '\\', '..\\a', 'a\\b', '$HOME', '!', '^']
const dots = ['...', '....', '.a', '..a', 'a..', 'name.']
const switches = ['-', '--', '-rf', '--help', '~', '~user', 'C:', 'index.html']
const words = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'null', 'undefined', 'con', 'a (deleted)']
const numbers = ['0', '42', '007', '1e3']
const invisible = ['\u200b', '\u2028', '\u202e', '\u202egpj.exe', '\ufeff', '\ufeffa', 'a\ufeff']
/** Composed and decomposed, upper and lower case. A careless disk treats such names as one. */
const cases = ['A', 'a', '\u0130', 'i', 'i\u0307', '\u017f', 's', '\u1e9e', '\u00df', 'ss', 'SS']
const composed = ['\u00e9', 'e\u0301', 'a\u00e9', 'ae\u0301', '\u212b', '\u00c5', '\ufb01', 'fi']
/** Their order in UTF-16 is not their order in UTF-8. */
const ordered = ['\ud7ff', '\ue000', '\uff5e', '\ufffd', '\uffff', '\u{10000}', '\u{1f600}', '\u{1f600}a', '\u{10ffff}']
const joined = ['\u0915\u094d', '\u05d0\u05d1', '\u{1f468}\u200d\u{1f467}']

/** Some program has misread each of these. */
const odd = [
  ...[blanks, escapes, quotes, dots, switches, words, numbers, invisible].flat(),
  ...[cases, composed, ordered, joined].flat(),
]

const longest = ['x'.repeat(255), `${'\u00e9'.repeat(127)}x`, '\uff5e'.repeat(85), `${'\u{1f600}'.repeat(63)}abc`]

/** Legal names, easily lost by escaping, trimming, normalising, folding or a clever library. */
export const oddNames: ReadonlyArray<string> = [...odd, ...longest]

/** Odd but legal. */
export const name: fc.Arbitrary<Name.Name> = fc
  .oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: alike },
    { weight: 4, arbitrary: fc.constantFrom(...odd) },
    { weight: 3, arbitrary: fc.string({ unit: character, minLength: 1, maxLength: 8 }) },
    { weight: 1, arbitrary: fc.constantFrom(...longest) },
  )
  .filter(Name.is)

/** Writes a name as a segment of a request target. Every spelling decodes to the same name. */
export type Spelling = (name: string) => string

const bytesOf = (name: string): ReadonlyArray<number> => [...Buffer.from(name, 'utf8')]

const escaped = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

const isBare = (byte: number): boolean => /[A-Za-z0-9._~!$&'()*+,;=:@-]/.test(String.fromCharCode(byte))

const bareWhereAllowed: Spelling = (name) =>
  bytesOf(name)
    .map((byte) => (isBare(byte) ? String.fromCharCode(byte) : escaped(byte)))
    .join('')

const allEscaped: Spelling = (name) => bytesOf(name).map(escaped).join('')

const allEscapedInLowerCase: Spelling = (name) => allEscaped(name).toLowerCase()

const mixed: Spelling = (name) =>
  bytesOf(name)
    .map((byte, index) =>
      index % 3 === 0 && isBare(byte)
        ? String.fromCharCode(byte)
        : index % 2 === 0
          ? escaped(byte)
          : escaped(byte).toLowerCase(),
    )
    .join('')

/** A separator of two names, or a trailing slash. */
export const separator: fc.Arbitrary<string> = fc.constantFrom('/', '/', '/', '/', '%2F', '%2f')

export const spelling: fc.Arbitrary<Spelling> = fc.constantFrom(
  encodeURIComponent,
  bareWhereAllowed,
  allEscaped,
  allEscapedInLowerCase,
  mixed,
)

const short = fc.array(
  fc.oneof({ withCrossShrink: true }, { weight: 3, arbitrary: alike }, { weight: 2, arbitrary: name }),
  { maxLength: 5 },
)

const deepest = fc.constant(Array.from({ length: StoragePath.maxSegments }, () => 'a'))

/** Mostly short, with common prefixes, so that two paths are often related. */
export const storagePath: fc.Arbitrary<StoragePath.StoragePath> = fc
  .oneof({ withCrossShrink: true }, { weight: 30, arbitrary: short }, { weight: 1, arbitrary: deepest })
  .map((names) => `/${names.join('/')}`)
  .filter(StoragePath.is)

/** A raw path of a request target, and the path that it names. */
interface SpelledPath extends StoragePath.RequestedPath {
  readonly raw: string
}

/** Writes a raw path. The slash after the token or the user id is never encoded. */
export const rawOf = (path: StoragePath.StoragePath, spell: Spelling, separator: string, slash: boolean): string => {
  const names = StoragePath.segments(path).map(spell)
  return names.length === 0 ? (slash ? '/' : '') : `/${names.join(separator)}${slash ? separator : ''}`
}

/** Any spelling of a path, with a trailing slash or without. */
export const spelledPath: fc.Arbitrary<SpelledPath> = fc
  .record({ path: storagePath, spell: spelling, separator, slash: fc.boolean() })
  .map(({ path, spell, separator, slash }) => ({
    path,
    mustBeDirectory: slash || path === StoragePath.root,
    raw: rawOf(path, spell, separator, slash),
  }))

const reserved = ['.', '..', '%2e', '%2E%2e', '.%2e', '..%2Fa', 'a%2f..', '%2F', '%2Fa', '%00', 'a%00b']
const malformed = ['%', 'a%', '%4', '%zz', '%u0061']
const notUtf8 = ['%C3', '%C3%28', '%C0%AF', '%E0%80%AF', '%ED%A0%80', '%F4%90%80%80', '%FF']
const tooLongAName = ['x'.repeat(256), '%C3%A9'.repeat(128), '%F0%9F%98%80'.repeat(64)]

const segment = fc.constantFrom(...reserved, ...malformed, ...notUtf8, ...tooLongAName)

const legal = spelledPath.map(({ raw }) => raw.replace(/\/$/, ''))

const withIllegalSegment = fc
  .record({ before: legal, segment, after: legal, slash: fc.constantFrom('', '/') })
  .map((parts) => `${parts.before}/${parts.segment}${parts.after}${parts.slash}`)

const misplacedSlash = fc.constantFrom('//', '//a', '///', '/a//', '/a//b', '/%2F', '/a%2F%2f', '/a/%2Fb')

const tooLong = fc.constantFrom('/a'.repeat(256), '/%61'.repeat(256), `${`/${'x'.repeat(255)}`.repeat(16)}/x`)

/** A raw path that names no node. */
export const illegalRawPath: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: withIllegalSegment },
  { weight: 1, arbitrary: misplacedSlash },
  { weight: 1, arbitrary: tooLong },
)

/** The raw path after a token or a user id: legal ones in many spellings, and illegal ones. */
export const rawPath: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: spelledPath.map(({ raw }) => raw) },
  { weight: 1, arbitrary: illegalRawPath },
)
