import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type BaseUrl, type Client, type ClientOptions, client, Input } from '../src/index.js'
import { right } from './right.js'

export interface Answering {
  readonly baseUrl: BaseUrl
  /** Every target that was asked for. */
  readonly targets: ReadonlyArray<string>
  readonly stop: () => Promise<void>
}

/** A service written by hand for one test, honest or not. */
export const answering = (listener: RequestListener): Promise<Answering> =>
  new Promise((resolve) => {
    const targets: Array<string> = []
    const server = createServer((request: IncomingMessage, response: ServerResponse) => {
      targets.push(request.url ?? '')
      listener(request, response)
    })
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({
        baseUrl: right(Input.baseUrl(`http://127.0.0.1:${port}`)),
        targets,
        stop: () =>
          new Promise((stopped) => {
            server.close(() => stopped())
            server.closeAllConnections()
          }),
      })
    })
  })

/** Uses a client of a service written by hand. It does not retry unless told to. */
export const against = async <A>(
  listener: RequestListener,
  use: (canopy: Client, service: Answering) => Promise<A>,
  options: Omit<ClientOptions, 'baseUrl'> = {},
): Promise<A> => {
  const service = await answering(listener)
  try {
    return await use(client({ baseUrl: service.baseUrl, retries: 0, ...options }), service)
  } finally {
    await service.stop()
  }
}

/** A whole answer. */
export const saying =
  (status: number, body: string | Buffer, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers })
    response.end(body)
  }

/** Each request gets the next of these, the last one for ever. */
export const inTurn = (...listeners: ReadonlyArray<RequestListener>): RequestListener => {
  const left = [...listeners]
  return (request, response) => (left.length > 1 ? left.shift() : left[0])?.(request, response)
}

export const token = right(Input.accessToken(`cnp_${'s'.repeat(42)}A`))
export const user = right(Input.userId('1'))
export const secretTrigger = right(Input.triggerId('a secret trigger'))
export const root = right(Input.storagePath('/'))

export const error = (name: string): string => JSON.stringify({ type: 'error', error: name })

export const emptyTree =
  '{"type":"tree","content":{"type":"dir","name":"","visibility":{"inherited":false,"visibility":"public"},"content":[]}}'

export const item = (name: string, size: number | string = 1): string =>
  `{"visibility":{"inherited":true,"visibility":"public"},"is_file":true,"name":${JSON.stringify(name)},"last_modified":1,"size":${size}}`

export const listingOf = (...items: ReadonlyArray<string>): string =>
  `{"type":"dir content","content":[${items.join(',')}]}`
