import * as fc from 'fast-check'

/** One way to write a name as a segment of a request target. All of them name the same. */
export type Spelling = (name: string) => string

const bytesOf = (name: string): ReadonlyArray<number> => [...Buffer.from(name, 'utf8')]

const escaped = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`

const bare = (byte: number): boolean => /[A-Za-z0-9._~!$&'()*+,;=:@-]/.test(String.fromCharCode(byte))

const bareWhereAllowed: Spelling = (name) =>
  bytesOf(name)
    .map((byte) => (bare(byte) ? String.fromCharCode(byte) : escaped(byte)))
    .join('')

const allEscaped: Spelling = (name) => bytesOf(name).map(escaped).join('')

const allEscapedInLowerCase: Spelling = (name) => allEscaped(name).toLowerCase()

const mixed: Spelling = (name) =>
  bytesOf(name)
    .map((byte, at) =>
      at % 3 === 0 && bare(byte)
        ? String.fromCharCode(byte)
        : at % 2 === 0
          ? escaped(byte)
          : escaped(byte).toLowerCase(),
    )
    .join('')

/** A slash between two names, or at the end. */
export const separator: fc.Arbitrary<string> = fc.constantFrom('/', '/', '/', '/', '%2F', '%2f')

export const spelling: fc.Arbitrary<Spelling> = fc.constantFrom(
  encodeURIComponent,
  bareWhereAllowed,
  allEscaped,
  allEscapedInLowerCase,
  mixed,
)
