import { connect } from 'node:net'

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
  readonly headers?: ReadonlyArray<readonly [name: string, value: string]>
}

export const headerOf = (response: RawResponse, name: string): string | undefined =>
  response.headers.find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]

const requestText = ({ method, target, headers }: RawRequest): string =>
  [
    `${method} ${target} HTTP/1.1`,
    ...(headers ?? [['Host', 'localhost']]).map(([name, value]) => `${name}: ${value}`),
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
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)] as const)
  const rest = bytes.subarray(headEnd + 4)
  const response = { status, headers, body: rest, complete: true }
  if (method === 'HEAD' || status === 204 || status === 304) return { ...response, complete: rest.length === 0 }
  if (headerOf(response, 'Transfer-Encoding') === 'chunked') return { ...response, ...dechunk(rest) }
  return { ...response, complete: rest.length === Number(headerOf(response, 'Content-Length')) }
}

/** Sends bytes as they are on a connection of their own and reads until the server ends it. */
export const sendRaw = (port: number, text: string, method = 'GET'): Promise<RawResponse> =>
  new Promise((resolve, reject) => {
    const chunks: Array<Buffer> = []
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', (error) => (chunks.length === 0 ? reject(error) : undefined))
    socket.on('close', () => {
      try {
        resolve(parse(Buffer.concat(chunks), method))
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)))
      }
    })
  })

/** One request over a raw socket to a server on this machine. */
export const request = (port: number, asked: RawRequest): Promise<RawResponse> =>
  sendRaw(port, requestText(asked), asked.method)
