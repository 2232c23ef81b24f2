import * as fc from 'fast-check'
import { illegalRawPath } from './illegalRawPath.js'
import { spelledPath } from './spelledPath.js'

/** What may follow a token or a user id in a request target: legal in many spellings, and illegal. */
export const rawPath: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: spelledPath.map(({ raw }) => raw) },
  { weight: 1, arbitrary: illegalRawPath },
)
