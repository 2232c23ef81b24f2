import type { Headers } from '../answer/Answer.js'
import { refusalAnswer } from '../answer/refusalAnswer.js'
import { badRequest, type RefusalName } from '../Refusal.js'

const meanings: { readonly [Name in RefusalName]: string } = {
  'invalid token': 'The token is unknown, malformed, expired or revoked.',
  'not verified': 'The token is valid, but no operator has verified its account.',
  'permission denied':
    'Storage: the path is outside the scope of the token. User content: the user is unknown, or the path private. Decided before the storage is looked at, so it tells nothing of what exists.',
  'file not found': 'Nothing is at the path, or nothing that the asker may know of.',
  'type mismatch': 'A file stands where a directory is asked for (a listing, a trailing slash), or on the way.',
  external: 'The storage or the registry behind the service failed. Asking again may help.',
  'trigger not found': 'The trigger is unknown, malformed, expired or deleted.',
  'no such route': 'The target is none of the operations.',
  'method not allowed': 'The method is none of those that `Allow` names.',
  'bad request':
    'A query parameter is malformed or repeated, or the request itself is: no `Host` header, two of them or a malformed one, a whole URL, `*` or a raw `#` as its target, or it is neither HTTP/1.1 nor HTTP/1.0.',
  'too many requests': 'This client tried too many tokens or trigger ids in vain.',
  overloaded: 'The service is too busy for this request.',
}

export const all = Object.keys(meanings) as ReadonlyArray<RefusalName>

export const meaningOf = (name: RefusalName): string => meanings[name]

/** Asked of the one place that answers errors. */
const answerTo = (name: RefusalName) =>
  refusalAnswer(name === 'bad request' ? badRequest : { error: name, cause: undefined, retryAfterSeconds: 60 })

export const statusOf = (name: RefusalName): number => answerTo(name).status

/** By name; a value of `Retry-After` is only an example. */
export const headersOf = (name: RefusalName): Headers => answerTo(name).headers
