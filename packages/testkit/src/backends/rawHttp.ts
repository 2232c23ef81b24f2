import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import * as E from 'fp-ts/lib/Either.js'

const example = 'write it like http://127.0.0.1:8080 or https://example.org/base'

/** Where a service answers: `http://host:port/prefix`. `left` says what is wrong and what to write, without repeating the text. */
export const baseUrlFromString = (text: string): E.Either<string, URL> => {
  if (!URL.canParse(text)) return E.left(`it is no URL: ${example}`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return E.left(`it is not http or https: ${example}`)
  // Behind a slash that is in a password the rest of it is a path.
  if (url.username !== '' || url.password !== '' || url.pathname.includes('@'))
    return E.left(`it may not hold a user name or password: ${example}`)
  if (url.search !== '' || url.hash !== '') return E.left(`it may not hold a "?" or "#": ${example}`)
  return E.right(url)
}

/** What comes before every target: empty, or `/prefix` without a slash behind it. */
const prefixOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, '')

export const baseUrlToText = (url: URL): string => url.origin + prefixOf(url)

/** The target as it is sent: behind the prefix, unless it is no path at all (`*`). */
export const targetBehind = (service: URL, target: string): string =>
  target.startsWith('/')
    ? prefixOf(service) + target
    : target.replace(/^https?:\/\/[^/]*/i, (whole) => whole + prefixOf(service))

export type Headers = ReadonlyArray<readonly [name: string, value: string]>

/** A request, sent as it is. */
export interface RawRequest {
  /** Sent as it is: `GET`, or any other word. */
  readonly method: string
  /** Sent as it is, as UTF-8: no client rewrites `..`, `%2e` or `//` on the way. */
  readonly target: string
  /** In place of `Host: localhost`, which means the service's own host wherever it is. */
  readonly headers?: Headers
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

/** The value of a header, whatever the case of its name; the first, if there are several. */
export const headerOf = ({ headers }: Pick<RawResponse, 'headers'>, name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

interface Body {
  readonly body: Buffer
  /** Where it ends; `undefined` when that has not come. */
  readonly end: number | undefined
}

/** The body of a chunked message that begins at `start`, as far as it has come. */
const chunksIn = (bytes: Buffer, start: number): Body => {
  const chunks: Array<Buffer> = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const [digits] = /^[0-9a-f]+/i.exec(bytes.toString('latin1', at, Math.max(at, lineEnd))) ?? []
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
  /** Its body as far as it has come. */
  readonly response: RawResponse
  /** Where the next response begins; after the last byte where only the end of the connection says so. */
  readonly end: number
}

/** The first response in what a connection has brought so far; `undefined` while its head is not whole. */
export const responseIn = (bytes: Buffer, method: string): Found | undefined => {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return undefined
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon), line.slice(colon + 1).trim()] as const
  })
  const status = Number(statusLine.split(' ')[1])
  const start = headEnd + 4
  const length = headerOf({ headers }, 'Content-Length')
  const bodyIn = (): Body => {
    if (method === 'HEAD' || status === 204 || status === 304) return { body: Buffer.alloc(0), end: start }
    if (headerOf({ headers }, 'Transfer-Encoding')?.toLowerCase() === 'chunked') return chunksIn(bytes, start)
    const end = length === undefined ? bytes.length : start + Number(length)
    return { body: bytes.subarray(start, end), end: bytes.length < end ? undefined : end }
  }
  const { body, end } = bodyIn()
  return { response: { status, headers, body, complete: end !== undefined }, end: end ?? bytes.length }
}

const ownHost = ['Host', 'localhost'] as const

const requestText = (service: URL, { method, target, headers = [ownHost] }: RawRequest): string =>
  [
    `${method} ${targetBehind(service, target)} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${name === 'Host' && value === 'localhost' ? service.host : value}`),
    'Connection: close',
    '',
    '',
  ].join('\r\n')

/** A service of this machine by its port, or one anywhere. */
export type Service = URL | number

const urlOf = (service: Service): URL =>
  typeof service === 'number' ? new URL(`http://127.0.0.1:${service}`) : service

const open = ({ protocol, hostname, port }: URL): Socket => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return protocol === 'https:'
    ? connectTls({ host, port: Number(port || 443), ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connect({ host, port: Number(port || 80) })
}

/** How long a connection may stay silent before it counts as ended. */
const silenceMs = 10_000

/**
 * Sends bytes as they are on a connection of their own and reads until the server ends it, or is silent for 10 seconds.
 * Rejects when no response begins.
 */
export const sendRaw = (service: Service, text: string, method = 'GET'): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    const socket = open(urlOf(service))
    socket.setTimeout(silenceMs, () => socket.destroy())
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (error) => (chunks.length === 0 ? reject(error) : undefined))
    socket.on('close', () => {
      const bytes = Buffer.concat(chunks)
      const found = responseIn(bytes, method)
      if (found === undefined) reject(new Error(`no response head in ${bytes.length} bytes`))
      // What comes behind a whole body is none of it.
      else resolve({ ...found.response, complete: found.response.complete && found.end === bytes.length })
    })
    socket.write(text)
  })

/** One request over a raw socket. */
export const request = (service: Service, asked: RawRequest): Promise<RawResponse> =>
  sendRaw(service, requestText(urlOf(service), asked), asked.method)
