import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

/** A bucket of an S3-compatible store, or a key prefix in it, that contains the areas. */
export interface S3Url {
  readonly bucket: string
  /** `''`, or key segments that each end in a slash: `team/files/`. */
  readonly prefix: string
  /** The address of the store; AWS itself if it is undefined. */
  readonly endpoint: string | undefined
  /** If it is undefined, the environment decides, as for the credentials. */
  readonly region: string | undefined
  /** Whether the bucket is named in the path, and not in the host name. */
  readonly pathStyle: boolean
}

const example = 's3://bucket/prefix?endpoint=https://store.example&region=us-east-1&pathStyle=true'
const known: ReadonlyArray<string> = ['endpoint', 'region', 'pathStyle']

const parsed = (text: string): E.Either<string, URL> =>
  text.startsWith('s3://') && URL.canParse(text)
    ? E.right(new URL(text))
    : E.left(`must be an object store URL such as "${example}"`)

/** Reads the path from the text itself, because a `URL` has its `..` resolved. */
const prefixOf = (text: string): E.Either<string, string> =>
  pipe(
    E.tryCatch(
      () => decodeURIComponent(text.replace(/^s3:\/\/[^/?#]*\/?/, '').replace(/\/?(\?.*)?$/s, '')),
      () =>
        'must not contain a "%" in the prefix that is not part of valid UTF-8 percent-encoding: write "%25" for a literal "%"',
    ),
    E.flatMap((prefix) =>
      prefix === ''
        ? E.right('')
        : prefix.split('/').some((segment) => segment === '' || segment === '.' || segment === '..')
          ? E.left('must not contain an empty, "." or ".." segment in the prefix')
          : E.right(`${prefix}/`),
    ),
  )

const endpointIn = (endpoint: string | null): E.Either<string, string | undefined> =>
  endpoint === null
    ? E.right(undefined)
    : /^https?:\/\/[^/?#@]+\/?$/i.test(endpoint) && URL.canParse(endpoint)
      ? E.right(endpoint.replace(/\/$/, ''))
      : E.left(
          'must include the address of the store in "endpoint", such as "https://store.example" or "http://127.0.0.1:9000"',
        )

/** Reads `s3://bucket/prefix?endpoint=...&region=...&pathStyle=true`. The error says what to write. */
export const fromText = (text: string): E.Either<string, S3Url> =>
  pipe(
    parsed(text),
    E.filterOrElse(
      ({ username, password }) => username === '' && password === '',
      () =>
        'must not contain credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or use another credential source that the AWS SDK supports',
    ),
    E.filterOrElse(
      // Text after a colon may be a secret key, even if it begins with a slash.
      ({ hash }) => hash === '' && !/^s3:\/\/[^/?]*:/.test(text),
      () => `must have a bucket name after "s3://", and the address of its server in "endpoint": "${example}"`,
    ),
    E.filterOrElse(
      ({ searchParams }) => [...searchParams.keys()].every((name) => known.includes(name)),
      ({ searchParams }) => {
        const unknown = [...searchParams.keys()].find((name) => !known.includes(name))
        return `has an unknown parameter "${unknown}" (supported: ${known.join(', ')})`
      },
    ),
    E.filterOrElse(
      ({ hostname }) => /^[a-z0-9][a-z0-9._-]{1,61}[a-z0-9]$/i.test(hostname),
      () => 'must have a bucket name of 3 to 63 letters, digits, dots and hyphens',
    ),
    E.filterOrElse(
      ({ hostname }) => !/--xa?-s3$/i.test(hostname),
      () =>
        'must not be an S3 Express directory bucket, which does not list keys in order: use a general purpose bucket',
    ),
    E.filterOrElse(
      ({ searchParams }) => ['true', 'false', null].includes(searchParams.get('pathStyle')),
      () => 'must set pathStyle to true or false, or omit it',
    ),
    E.bindTo('url'),
    E.bind('prefix', () => prefixOf(text)),
    E.bind('endpoint', ({ url }) => endpointIn(url.searchParams.get('endpoint'))),
    E.map(({ url, prefix, endpoint }) => ({
      bucket: url.hostname,
      prefix,
      endpoint,
      region: url.searchParams.get('region') ?? undefined,
      pathStyle: url.searchParams.get('pathStyle') === 'true',
    })),
  )

/** Writes text that {@link fromText} reads. It contains no secret. */
export const toText = ({ bucket, prefix, endpoint, region, pathStyle }: S3Url): string => {
  const path = prefix.split('/').map(encodeURIComponent).join('/').replace(/\/$/, '')
  const parameters = new URLSearchParams({
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(pathStyle ? { pathStyle: 'true' } : {}),
  })
  const query = parameters.size === 0 ? '' : `?${decodeURIComponent(parameters.toString())}`
  return `s3://${bucket}${path === '' ? '' : `/${path}`}${query}`
}
