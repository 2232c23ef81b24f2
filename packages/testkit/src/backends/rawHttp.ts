import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
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
export const baseUrlOfPort = (port: number): BaseUrl => ({
  tls: false,
  host: '127.0.0.1',
  port,
  authority: 'localhost',
  prefix: '',
})

const example = 'write it like http://127.0.0.1:8080 or https://example.org/base'

const parts = (url: URL): E.Either<string, BaseUrl> => {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return E.left(`it is not http or https: ${example}`)
  // Behind a slash that is in a password the rest of it is a path.
  if (url.username !== '' || url.password !== '' || url.pathname.includes('@'))
    return E.left(`it may not hold a user name or password: ${example}`)
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
export const baseUrlFromString = (text: string): E.Either<string, BaseUrl> =>
  URL.canParse(text) ? parts(new URL(text)) : E.left(`it is no URL: ${example}`)

/** `http://host:port`. */
export const originOf = ({ tls, authority }: BaseUrl): string => `${tls ? 'https' : 'http'}://${authority}`

export const baseUrlToText = (url: BaseUrl): string => originOf(url) + url.prefix

/** The target as it is sent: behind the prefix, unless it is no path at all (`*`). */
export const targetBehind = ({ prefix }: BaseUrl, target: string): string =>
  target.startsWith('/') ? prefix + target : target.replace(/^https?:\/\/[^/]*/i, (whole) => whole + prefix)

// The parts of a response of HTTP/1.1, as they come.

export type Headers = ReadonlyArray<readonly [name: string, value: string]>

interface ResponseHead {
  readonly status: number
  /** As they came: names in their own case, in their own order. */
  readonly headers: Headers
  /** Where the body begins. */
  readonly end: number
}

const fieldOf = (headers: Headers, name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

/** `undefined` while it is not whole. */
const headIn = (bytes: Buffer): ResponseHead | undefined => {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n')
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const,
  )
  return { status: Number(statusLine.split(' ')[1]), headers, end: end + 4 }
}

const isChunked = (headers: Headers): boolean => fieldOf(headers, 'Transfer-Encoding')?.toLowerCase() === 'chunked'

const hasNoBody = (method: string, status: number): boolean => method === 'HEAD' || status === 204 || status === 304

interface Chunks {
  readonly body: Buffer
  /** Where the last chunk ends; `undefined` when it has not come. */
  readonly end: number | undefined
}

/** The body of a chunked message that begins at `start`, as far as it has come. */
const chunksIn = (bytes: Buffer, start: number): Chunks => {
  const chunks: Array<Buffer> = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return { body: Buffer.concat(chunks), end: undefined }
    const [digits] = /^[0-9a-f]+/i.exec(bytes.toString('latin1', at, lineEnd)) ?? []
    // What is no chunk is the end of what can be read.
    if (digits === undefined) return { body: Buffer.concat(chunks), end: undefined }
    const size = Number.parseInt(digits, 16)
    const dataEnd = lineEnd + 2 + size
    chunks.push(bytes.subarray(lineEnd + 2, dataEnd))
    at = dataEnd + 2
    if (bytes.length < at) return { body: Buffer.concat(chunks), end: undefined }
    if (size === 0) return { body: Buffer.concat(chunks), end: at }
  }
}

interface Found {
  readonly response: RawResponse
  /** Where the next response begins. */
  readonly end: number
}

const bodyIn = (bytes: Buffer, { headers, end: start }: ResponseHead) => {
  if (isChunked(headers)) return chunksIn(bytes, start)
  const end = start + Number(fieldOf(headers, 'Content-Length') ?? 0)
  return { body: bytes.subarray(start, end), end: bytes.length < end ? undefined : end }
}

/** The first response in what a persistent connection has brought so far; `undefined` while it is not whole. */
export const responseIn = (bytes: Buffer, method: string): Found | undefined => {
  const head = headIn(bytes)
  if (head === undefined) return undefined
  const { status, headers } = head
  const { body, end } = hasNoBody(method, status) ? { body: Buffer.alloc(0), end: head.end } : bodyIn(bytes, head)
  return end === undefined ? undefined : { response: { status, headers, body, complete: true }, end }
}

/** What a service answered, nothing decoded but chunks. */
export interface RawResponse {
  /** Of the status line: `200`. */
  readonly status: number
  /** As they came: names in their own case, in their own order. */
  readonly headers: Headers
  /** As bytes, still compressed where it was. */
  readonly body: Buffer
  /** False when the connection ended before the body did. */
  readonly complete: boolean
}

/** A request, sent as it is. */
export interface RawRequest {
  /** Sent as it is: `GET`, or any other word. */
  readonly method: string
  /** Sent as it is, as UTF-8: no client rewrites `..`, `%2e` or `//` on the way. */
  readonly target: string
  /** In place of `Host: localhost`, which means the service's own host wherever it is. */
  readonly headers?: Headers
}

/** The value of a header, whatever the case of its name; the first, if there are several. */
export const headerOf = ({ headers }: RawResponse, name: string): string | undefined => fieldOf(headers, name)

const ownHost = ['Host', 'localhost'] as const

const requestText = (service: BaseUrl, { method, target, headers }: RawRequest): string =>
  [
    `${method} ${targetBehind(service, target)} HTTP/1.1`,
    ...(headers ?? [ownHost]).map(
      ([name, value]) => `${name}: ${name === 'Host' && value === 'localhost' ? service.authority : value}`,
    ),
    'Connection: close',
    '',
    '',
  ].join('\r\n')

const parse = (bytes: Buffer, method: string): RawResponse => {
  const head = headIn(bytes)
  if (head === undefined) throw new Error(`no response head in ${bytes.length} bytes`)
  const { status, headers, end } = head
  const rest = bytes.subarray(end)
  if (hasNoBody(method, status)) return { status, headers, body: rest, complete: rest.length === 0 }
  if (isChunked(headers)) {
    const chunks = chunksIn(bytes, end)
    return { status, headers, body: chunks.body, complete: chunks.end !== undefined }
  }
  const length = fieldOf(headers, 'Content-Length')
  // Without either, the end of the connection is the end of the body.
  return { status, headers, body: rest, complete: length === undefined || rest.length === Number(length) }
}

/** A service of this machine by its port, or one anywhere. */
export type Service = BaseUrl | number

const baseUrlOf = (service: Service): BaseUrl => (typeof service === 'number' ? baseUrlOfPort(service) : service)

const open = ({ tls, host, port }: BaseUrl): Socket =>
  tls ? connectTls({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) }) : connect({ host, port })

/** How long a connection may stay silent before it counts as ended. */
const silenceMs = 10_000

/**
 * Sends bytes as they are on a connection of their own and reads until the server ends it, or is silent for 10 seconds.
 * Rejects when no response begins.
 */
export const sendRaw = (service: Service, text: string, method = 'GET'): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    const socket = open(baseUrlOf(service))
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (error) => (chunks.length === 0 ? reject(error) : undefined))
    socket.on('close', () => {
      try {
        resolve(parse(Buffer.concat(chunks), method))
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    })
    socket.write(text)
  })

/** One request over a raw socket. */
export const request = (service: Service, asked: RawRequest): Promise<RawResponse> =>
  sendRaw(service, requestText(baseUrlOf(service), asked), asked.method)
