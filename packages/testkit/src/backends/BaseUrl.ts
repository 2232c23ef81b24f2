import * as E from 'fp-ts/lib/Either.js'

/** Where a service answers, taken apart: `http://host:port/prefix`. */
export interface BaseUrl {
  readonly tls: boolean
  /** A host name or an IP address, as a socket takes it: without brackets. */
  readonly host: string
  readonly port: number
  /** What the `Host` header says. */
  readonly authority: string
  /** What comes before every target: empty, or `/prefix` without a slash behind it. */
  readonly prefix: string
}

/** A service on this machine. */
export const ofPort = (port: number): BaseUrl => ({
  tls: false,
  host: '127.0.0.1',
  port,
  authority: 'localhost',
  prefix: '',
})

const example = 'write it like http://127.0.0.1:8080 or https://example.org/base'

const parts = (url: URL): E.Either<string, BaseUrl> => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return E.left(`it is not http or https: ${example}`)
  if (url.username !== '' || url.password !== '') return E.left(`it may not hold a user name or password: ${example}`)
  if (url.search !== '' || url.hash !== '') return E.left(`it may not hold a "?" or "#": ${example}`)
  const tls = url.protocol === 'https:'
  return E.right({
    tls,
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (tls ? 443 : 80) : Number(url.port),
    authority: url.host,
    prefix: url.pathname.replace(/\/+$/, ''),
  })
}

/** `left` says what is wrong and what to write, without repeating the text. */
export const fromString = (text: string): E.Either<string, BaseUrl> =>
  URL.canParse(text) ? parts(new URL(text)) : E.left(`it is no URL: ${example}`)

/** `http://host:port`. */
export const origin = ({ tls, authority }: BaseUrl): string => `${tls ? 'https' : 'http'}://${authority}`

export const toText = (url: BaseUrl): string => origin(url) + url.prefix

/** The target as it is sent: behind the prefix, unless it is no path at all (`*`). */
export const targetBehind = ({ prefix }: BaseUrl, target: string): string =>
  target.startsWith('/') ? prefix + target : target.replace(/^https?:\/\/[^/]*/i, (whole) => whole + prefix)
