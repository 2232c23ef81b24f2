import { connect, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import * as BaseUrl from './BaseUrl.js'

export interface RawResponse {
  readonly status: number
  /** As they came: names in their own case, in their own order. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string]>
  readonly body: Buffer
  /** False when the connection ended before the body did. */
  readonly complete: boolean
}

export interface RawRequest {
  readonly method: string
  /** Sent as it is, as UTF-8: no client rewrites `..`, `%2e` or `//` on the way. */
  readonly target: string
  /** In place of `Host: localhost`, which stands for the service's own host wherever it is. */
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
}

export const headerOf = (response: RawResponse, name: string): string | undefined =>
  response.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

const ownHost = ['Host', 'localhost'] as const

const requestText = (service: BaseUrl.BaseUrl, { method, target, headers }: RawRequest): string =>
  [
    `${method} ${BaseUrl.targetBehind(service, target)} HTTP/1.1`,
    ...(headers ?? [ownHost]).map(
      ([name, value]) => `${name}: ${name === 'Host' && value === 'localhost' ? service.authority : value}`,
    ),
    'Connection: close',
    '',
    '',
  ].join('\r\n')

/** The body of a chunked message, and whether its last chunk came. */
const dechunk = (bytes: Buffer): { readonly body: Buffer; readonly complete: boolean } => {
  const chunks: Array<Buffer> = []
  let at = 0
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return { body: Buffer.concat(chunks), complete: false }
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    const start = lineEnd + 2
    if (size === 0) return { body: Buffer.concat(chunks), complete: bytes.length >= start + 2 }
    chunks.push(bytes.subarray(start, start + size))
    if (bytes.length < start + size + 2) return { body: Buffer.concat(chunks), complete: false }
    at = start + size + 2
  }
}

const parse = (bytes: Buffer, method: string): RawResponse => {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) throw new Error(`no response head in ${bytes.length} bytes`)
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const headers = lines.map(
    (line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const,
  )
  const rest = bytes.subarray(headEnd + 4)
  const response = { status, headers, body: rest, complete: true }
  if (method === 'HEAD' || status === 204 || status === 304) return { ...response, complete: rest.length === 0 }
  if (headerOf(response, 'Transfer-Encoding') === 'chunked') return { ...response, ...dechunk(rest) }
  const length = headerOf(response, 'Content-Length')
  // Without either, the end of the connection is the end of the body.
  return { ...response, complete: length === undefined || rest.length === Number(length) }
}

/** A service of this machine by its port, or one anywhere. */
export type Service = BaseUrl.BaseUrl | number

const baseUrlOf = (service: Service): BaseUrl.BaseUrl =>
  typeof service === 'number' ? BaseUrl.ofPort(service) : service

const open = ({ tls, host, port }: BaseUrl.BaseUrl): Socket =>
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
