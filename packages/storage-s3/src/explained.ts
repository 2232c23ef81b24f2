import * as S3Url from './S3Url.js'

const textOf = (thrown: unknown, field: string): string => {
  const value = typeof thrown === 'object' && thrown !== null ? Reflect.get(thrown, field) : undefined
  return typeof value === 'string' ? value : ''
}

/** What is wrong and, where that is known, what to do. */
type Hint = readonly [is: string, suggestion?: string]

const unreachable: Hint = ['nothing answers there', 'correct "endpoint" in CANOPY_STORAGE, or start the store']
const slow: Hint = ['the store does not answer in time']
const wrongKey: Hint = [
  'the store does not know these credentials',
  'correct AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile or role that is used instead',
]
const wrongRegion: Hint = ['the bucket is in another region', 'correct "region" in CANOPY_STORAGE']
const busy: Hint = ['the store asks for fewer requests']
const noStore: Hint = [
  'what answers there is no object store, or one that fails',
  'correct "endpoint" in CANOPY_STORAGE, or look at the store',
]

/** A page of a working store broke a promise of S3. `page.ts` checks it. */
const faulty = (is: string): Hint => [is, 'update the store, or use another one']

/** By the names and codes of the SDK, of the stores, and of Node. */
const hints: ReadonlyMap<string, Hint> = new Map([
  ['NoSuchBucket', ['there is no such bucket', 'make it, or correct CANOPY_STORAGE']],
  ['InvalidBucketName', ['there can be no such bucket', 'correct CANOPY_STORAGE']],
  [
    'AccessDenied',
    ['these credentials lack a permission', 'allow s3:ListBucket, and s3:PutObject for what makes an area'],
  ],
  ['InvalidAccessKeyId', wrongKey],
  ['SignatureDoesNotMatch', wrongKey],
  ['ExpiredToken', wrongKey],
  ['InvalidToken', wrongKey],
  [
    'CredentialsProviderError',
    ['there are no credentials', 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or another way of the SDK'],
  ],
  ['PermanentRedirect', wrongRegion],
  ['AuthorizationHeaderMalformed', wrongRegion],
  ['IllegalLocationConstraintException', wrongRegion],
  ['RequestTimeTooSkewed', ['the clocks of this machine and the store differ too much']],
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
  ['KeysMissing', faulty('the store lists fewer keys than it counts')],
  ['TokenRepeated', faulty('the store repeats a continuation token')],
  ['NoProgress', faulty('the store gives page after page without a key')],
  [
    'CaseIgnored',
    [
      'the store ignores the case of keys',
      'keep its data on a file system that does not, or use another store: names compare by their bytes',
    ],
  ],
  ['EPROTO', noStore],
  ['ECONNRESET', ['the store ended the connection']],
  ['TimeoutError', slow],
  ['ETIMEDOUT', slow],
])

/** What the store or the SDK did not do, as an operator needs it: in one line, with what to do where that is known. */
export class StoreFailed extends Error {
  readonly why: string
  readonly suggestion: string | undefined

  constructor(why: string, suggestion: string | undefined, cause: unknown) {
    super(suggestion === undefined ? why : `${why}: ${suggestion}`, { cause })
    this.why = why
    this.suggestion = suggestion
  }
}

export const explained = (url: S3Url.S3Url, thrown: unknown): StoreFailed => {
  const names = ['code', 'name', 'Code'].map((field) => textOf(thrown, field))
  const status: number | undefined = Object(thrown).$metadata?.httpStatusCode
  const known = names.map((name) => hints.get(name)).find((hint) => hint !== undefined)
  const [is, suggestion] = known ?? (status === undefined ? [] : noStore)
  const said = textOf(thrown, 'message').replaceAll(/\s+/g, ' ').trim()
  const name = names.find((each) => each !== '' && each !== 'Error' && !said.includes(each))
  const what = [name, said].filter((text) => text !== undefined && text !== '' && text !== 'UnknownError').join(': ')
  const detail = what === '' && status !== undefined ? `status ${status}` : what
  return new StoreFailed(`${S3Url.toText(url)}: ${is === undefined ? detail : `${is} (${detail})`}`, suggestion, thrown)
}
