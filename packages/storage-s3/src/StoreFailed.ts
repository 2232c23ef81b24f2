import { Failure } from '@canopy/domain'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as S3Url from './S3Url.js'

const textOf = (thrown: unknown, field: string): string => {
  const value = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, field) : undefined
  return typeof value === 'string' ? value : ''
}

/** The reason of a failure, and a hint for the operator if one is known. */
type Known = readonly [reason: string, hint?: string]

const unreachable: Known = ['the store cannot be reached', 'check "endpoint" in CANOPY_STORAGE, or start the store']
const slow: Known = ['the store did not respond in time']
const wrongKey: Known = [
  'the store does not recognize these credentials',
  'check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile or role that is used instead',
]
const wrongRegion: Known = ['the bucket is in another region', 'check "region" in CANOPY_STORAGE']
const busy: Known = ['the store is throttling requests']
const noStore: Known = [
  'the server at that address is not an object store, or it is failing',
  'check "endpoint" in CANOPY_STORAGE, or check the store',
]

/** `page.ts` finds that a page breaks a promise of S3. */
const faulty = (reason: string): Known => [reason, 'update the store, or use another one']

/** By the error names and codes of the SDK, the stores and Node. */
const knownFailures: ReadonlyMap<string, Known> = new Map([
  ['NoSuchBucket', ['there is no such bucket', 'create it, or check CANOPY_STORAGE']],
  ['InvalidBucketName', ['the bucket name is not valid', 'check CANOPY_STORAGE']],
  [
    'AccessDenied',
    [
      'these credentials lack a required permission',
      'allow s3:ListBucket, s3:GetObject for files, and s3:PutObject for commands that create areas',
    ],
  ],
  [
    'ReadDenied',
    [
      'these credentials are not allowed to read objects',
      'allow s3:GetObject under the prefix, or set CANOPY_FILES=off',
    ],
  ],
  ['NoSuchKey', ['the object was removed while it was being read']],
  ['PreconditionFailed', ['the object was replaced while it was being read']],
  ['InvalidAccessKeyId', wrongKey],
  ['SignatureDoesNotMatch', wrongKey],
  ['ExpiredToken', ['the credentials have expired', 'renew them']],
  ['InvalidToken', wrongKey],
  [
    'CredentialsProviderError',
    [
      'no credentials found',
      'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use another credential source that the AWS SDK supports',
    ],
  ],
  ['PermanentRedirect', wrongRegion],
  ['AuthorizationHeaderMalformed', wrongRegion],
  ['IllegalLocationConstraintException', wrongRegion],
  ['RequestTimeTooSkewed', ["this machine's clock is too far off from the store's"]],
  ['SlowDown', busy],
  ['ServiceUnavailable', busy],
  ['ECONNREFUSED', unreachable],
  ['ENOTFOUND', unreachable],
  ['EHOSTUNREACH', unreachable],
  ['ENETUNREACH', unreachable],
  ['EAI_AGAIN', unreachable],
  ['NoListing', noStore],
  ['KeysOutOfOrder', faulty('the store does not list keys in order')],
  ['KeysOutsidePrefix', faulty('the store lists keys outside the requested prefix')],
  ['KeysMissing', faulty('the store returned fewer keys than its KeyCount')],
  ['TokenRepeated', faulty('the store repeats a continuation token')],
  ['NoProgress', faulty('the store keeps returning pages that contain no keys')],
  [
    'CaseIgnored',
    [
      'the store treats keys as case-insensitive, but Canopy compares names byte by byte',
      'keep its data on a case-sensitive file system, or use another store',
    ],
  ],
  ['EPROTO', noStore],
  ['ECONNRESET', ['the store closed the connection']],
  ['TimeoutError', slow],
  ['ETIMEDOUT', slow],
])

/** A failure of the store or the SDK. Its message is one line for the operator. */
export class StoreFailed extends Error {
  readonly reason: string
  readonly hint: string | undefined

  constructor(reason: string, hint: string | undefined, cause: unknown) {
    super(hint === undefined ? reason : `${reason}. ${hint.charAt(0).toUpperCase()}${hint.slice(1)}`, { cause })
    this.reason = reason
    this.hint = hint
  }
}

export const statusOf = (thrown: unknown): number | undefined => Object(thrown).$metadata?.httpStatusCode

/** Explains an error of the SDK or of `page.ts`. */
export const storeFailed = (url: S3Url.S3Url, thrown: unknown): StoreFailed => {
  const names = ['code', 'name', 'Code'].map((field) => textOf(thrown, field))
  const status = statusOf(thrown)
  const known = names.map((name) => knownFailures.get(name)).find((each) => each !== undefined)
  const [reason, hint] = known ?? (status === undefined ? [] : noStore)
  const message = textOf(thrown, 'message').replaceAll(/\s+/g, ' ').trim()
  const name = names.find((each) => each !== '' && each !== 'Error' && !message.includes(each))
  const texts = [name, message].filter((text) => text !== undefined && text !== '' && text !== 'UnknownError')
  const detail = texts.length === 0 && status !== undefined ? `status ${status}` : texts.join(': ')
  return new StoreFailed(
    `${S3Url.toText(url)}: ${reason === undefined ? detail : `${reason} (${detail})`}`,
    hint,
    thrown,
  )
}

/** Calls the store. Fails with the explanation of its error. */
export const askStore = <A>(url: S3Url.S3Url, ask: () => Promise<A>): TE.TaskEither<Failure.External, A> =>
  TE.tryCatch(ask, (thrown) => Failure.external(storeFailed(url, thrown)))
