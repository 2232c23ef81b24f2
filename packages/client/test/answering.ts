import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CanopyError, type Client, type ClientOptions, client, type Failure } from '../src/index.js'

export interface Answering {
  readonly baseUrl: string
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
    const stop = () =>
      new Promise<void>((stopped) => {
        server.close(() => stopped())
        server.closeAllConnections()
      })
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      resolve({ baseUrl: `http://127.0.0.1:${port}`, targets, stop })
    })
  })

/** Uses a client of a service written by hand. It does not retry unless the options say so. */
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

/** What a client asks for where it does not matter what: a request that needs no secret. */
export const visitor = { user: 1, path: '/' }

/** The failure of a call, of a service written by hand: where nothing else is said, of a visitor's tree. */
export const failureAgainst = (
  listener: RequestListener,
  call: (canopy: Client) => Promise<unknown> = (canopy) => canopy.userContentTree(visitor),
  options: Omit<ClientOptions, 'baseUrl'> = {},
): Promise<Failure> => against(listener, (canopy) => failureOf(call(canopy)), options)

/** The error that a call must reject with. */
export const thrownBy = async (call: Promise<unknown>): Promise<CanopyError> => {
  const thrown: unknown = await call.then(
    () => 'nothing',
    (reason: unknown) => reason,
  )
  if (!(thrown instanceof CanopyError)) throw new Error(`expected a CanopyError, got ${String(thrown)}`)
  return thrown
}

/** The failure that a call must reject with. */
export const failureOf = async (call: Promise<unknown>): Promise<Failure> => (await thrownBy(call)).failure

export const collected = async <A>(source: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const each of source) all.push(each)
  return all
}

/** A complete answer. */
export const saying =
  (status: number, body: string | Buffer, headers: Headers = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers })
    response.end(body)
  }

/** The connection ends before the answer begins. */
export const hangingUp: RequestListener = (request) => request.socket.destroy()

type Headers = Readonly<Record<string, string>>

/** The answer begins, and does not end. */
export const beginning =
  (headers: Headers = {}, body: string = emptyTree): RequestListener =>
  (_, response) => {
    response.writeHead(200, headers)
    response.write(body)
  }

/** The answer begins, and the connection ends. */
export const breakingOff =
  (headers?: Headers, body?: string): RequestListener =>
  (request, response) => {
    beginning(headers, body)(request, response)
    setTimeout(() => response.destroy(), 20)
  }

export const silent: RequestListener = () => undefined

/** Each request gets the next of these, and the last one again and again. */
export const inTurn = (...listeners: ReadonlyArray<RequestListener>): RequestListener => {
  const left = [...listeners]
  return (request, response) => (left.length > 1 ? left.shift() : left[0])?.(request, response)
}

export const token = `cnp_${'s'.repeat(42)}A`
export const secretTrigger = 'a secret trigger'

export const error = (name: string): string => JSON.stringify({ type: 'error', error: name })

export const emptyTree =
  '{"type":"tree","content":{"type":"dir","name":"","visibility":{"inherited":false,"visibility":"public"},"content":[]}}'

export const item = (name: string, size: number | string = 1): string =>
  `{"visibility":{"inherited":true,"visibility":"public"},"is_file":true,"name":${JSON.stringify(name)},"last_modified":1,"size":${size}}`

export const listingOf = (...items: ReadonlyArray<string>): string =>
  `{"type":"dir content","content":[${items.join(',')}]}`

export const nowhere = 'http://127.0.0.1'
export const root = { type: 'dir', name: '' }

/** A client without retries, and with a fetch of its own. */
export const through = (fetch: () => unknown) =>
  client({ baseUrl: nowhere, retries: 0, fetch: fetch as () => Promise<Response> })
