import * as fc from 'fast-check'
import { spelledPath } from './spelledPath.js'

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

/** A raw tail that names nothing. */
export const illegalRawPath: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: withIllegalSegment },
  { weight: 1, arbitrary: misplacedSlash },
  { weight: 1, arbitrary: tooLong },
)
