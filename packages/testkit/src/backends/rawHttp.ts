import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import * as E from 'fp-ts/lib/Either.js'

const example = 'use a URL such as http://127.0.0.1:8080 or https://example.org/base'

/** Parses `http://host:port/prefix`. `left` says what to write, without repeating the text, which may contain a password. */
export const baseUrlFromString = (text: string): E.Either<string, URL> => {
  if (!URL.canParse(text)) return E.left(`it is not a URL: ${example}`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return E.left(`it is not http or https: ${example}`)
  // A slash in a password makes the rest of it a path.
  if (url.username !== '' || url.password !== '' || url.pathname.includes('@'))
    return E.left(`it may not contain a user name or password: ${example}`)
  if (url.search !== '' || url.hash !== '') return E.left(`it may not contain a "?" or "#": ${example}`)
  return E.right(url)
}

/** Empty, or `/prefix` without a trailing slash. */
const prefixOf = ({ pathname }: URL): string => pathname.replace(/\/+$/, '')

export const baseUrlToText = (url: URL): string => url.origin + prefixOf(url)

/** Adds the prefix of the service to a target, but not to `*`. */
export const targetBehind = (service: URL, target: string): string =>
  target.startsWith('/')
    ? prefixOf(service) + target
    : target.replace(/^https?:\/\/[^/]*/i, (whole) => whole + prefixOf(service))

export type Headers = ReadonlyArray<readonly [name: string, value: string]>

/** Sent without any change, so that no client rewrites `..`, `%2e` or `//`. */
export interface RawRequest {
  /** Any word. */
  readonly method: string
  /** Sent as UTF-8. */
  readonly target: string
  /** Replaces the default, `Host: localhost`. `localhost` becomes the host of the service. */
  readonly headers?: Headers
}

/** A response without decoding, except for chunks. */
export interface RawResponse {
  /** From the status line: `200`. */
  readonly status: number
  /** In the original case and order. */
  readonly headers: Headers
  /** May be compressed. */
  readonly body: Buffer
  /** False if the connection ended within the body. */
  readonly complete: boolean
}

/** Returns the first header with this name, in any case. */
export const headerOf = ({ headers }: Pick<RawResponse, 'headers'>, name: string): string | undefined =>
  headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

interface Body {
  readonly body: Buffer
  /** The index after its last byte; `undefined` if that has not arrived. */
  readonly end: number | undefined
}

/** Returns the received part of a chunked body that begins at `start`. */
const chunksIn = (bytes: Buffer, start: number): Body => {
  const chunks: Array<Buffer> = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const [digits] = /^[0-9a-f]+/i.exec(bytes.toString('latin1', at, Math.max(at, lineEnd))) ?? []
    // Not a chunk, so the rest cannot be read.
    if (digits === undefined) return { body: Buffer.concat(chunks), end: undefined }
    const size = Number.parseInt(digits, 16)
    const dataEnd = lineEnd + 2 + size
    chunks.push(bytes.subarray(lineEnd + 2, dataEnd))
    at = dataEnd + 2
    if (bytes.length < at) return { body: Buffer.concat(chunks), end: undefined }
    if (size === 0) return { body: Buffer.concat(chunks), end: at }
  }
}

interface ParsedResponse {
  /** With the received part of its body. */
  readonly response: RawResponse
  /** The index of the next response; the last byte of a body that only the end of the connection ends. */
  readonly end: number
}

/** Parses the first response of a connection; `undefined` while its head is incomplete. */
export const responseIn = (bytes: Buffer, method: string): ParsedResponse | undefined => {
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

/** The port of a service on this machine, or the URL of any service. */
export type Service = URL | number

const urlOf = (service: Service): URL =>
  typeof service === 'number' ? new URL(`http://127.0.0.1:${service}`) : service

const open = ({ protocol, hostname, port }: URL): Socket => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  return protocol === 'https:'
    ? connectTls({ host, port: Number(port || 443), ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connect({ host, port: Number(port || 80) })
}

/** A connection that stays silent for this time counts as ended. */
const silenceMs = 10_000

/** Sends text on a new connection, and reads until the server ends it or stays silent. Rejects without a response. */
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
      // Bytes after a complete body do not belong to it.
      else resolve({ ...found.response, complete: found.response.complete && found.end === bytes.length })
    })
    socket.write(text)
  })

/** Sends one request over a raw socket. */
export const request = (service: Service, raw: RawRequest): Promise<RawResponse> =>
  sendRaw(service, requestText(urlOf(service), raw), raw.method)
