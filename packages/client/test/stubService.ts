import { createServer, type RequestListener } from 'node:http'
import { closed, listening } from '@canopy/test-support'
import { CanopyError, type Client, type ClientOptions, createClient, type Failure } from '../src/index.js'

export type StubService = Awaited<ReturnType<typeof startStub>>

/** Starts a hand-written service, honest or hostile. */
export const startStub = async (listener: RequestListener) => {
  const targets: Array<string> = []
  const server = createServer((request, response) => {
    targets.push(request.url ?? '')
    listener(request, response)
  })
  return { baseUrl: `http://127.0.0.1:${await listening(server)}`, targets, stop: () => closed(server) }
}

/** Runs a test with a client of a hand-written service, without retries by default. */
export const withStub = async <A>(
  listener: RequestListener,
  use: (canopy: Client, service: StubService) => Promise<A>,
  options: Omit<ClientOptions, 'baseUrl'> = {},
): Promise<A> => {
  const service = await startStub(listener)
  return use(createClient({ baseUrl: service.baseUrl, retries: 0, ...options }), service).finally(service.stop)
}

/** A request without secrets, for tests of any operation. */
export const visitor = { user: 1, path: '/' }

/** The failure of a call to a hand-written service. Default: a visitor's tree. */
export const failureWithStub = (
  listener: RequestListener,
  call: (canopy: Client) => Promise<unknown> = (canopy) => canopy.userContentTree(visitor),
  options: Omit<ClientOptions, 'baseUrl'> = {},
): Promise<Failure> => withStub(listener, (canopy) => failureOf(call(canopy)), options)

export const errorOf = async (call: Promise<unknown>): Promise<CanopyError> => {
  const thrown: unknown = await call.catch((reason: unknown) => reason)
  if (!(thrown instanceof CanopyError)) throw new Error(`expected a CanopyError, got ${String(thrown)}`)
  return thrown
}

export const failureOf = async (call: Promise<unknown>): Promise<Failure> => (await errorOf(call)).failure

export const collect = async <A>(source: AsyncIterable<A>): Promise<ReadonlyArray<A>> => {
  const all: Array<A> = []
  for await (const each of source) all.push(each)
  return all
}

/** The values that a loop yields, and its failure. Calls `after` for each value. */
export const loopOver = async <A>(source: AsyncIterable<A>, after = (): void => undefined) => {
  const yielded: Array<A> = []
  try {
    for await (const each of source) {
      yielded.push(each)
      after()
    }
  } catch (thrown) {
    return { yielded, failure: thrown instanceof CanopyError ? thrown.failure : thrown }
  }
  return { yielded, failure: undefined }
}

export const respond =
  (status: number, body: string | Buffer, headers: Headers = {}): RequestListener =>
  (_, response) => {
    response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers })
    response.end(body)
  }

export const hangUp: RequestListener = (request) => request.socket.destroy()

type Headers = Readonly<Record<string, string>>

/** Begins a response and never ends it. */
export const beginResponse =
  (headers: Headers = {}, body: string = emptyTree): RequestListener =>
  (_, response) => {
    response.writeHead(200, headers)
    response.write(body)
  }

export const cutResponse =
  (headers?: Headers, body?: string): RequestListener =>
  (request, response) => {
    beginResponse(headers, body)(request, response)
    setTimeout(() => response.destroy(), 20)
  }

export const neverRespond: RequestListener = () => undefined

/** Serves each request with the next listener, and all later requests with the last one. */
export const inSequence = (...listeners: ReadonlyArray<RequestListener>): RequestListener => {
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

export const listingOf = (...items: ReadonlyArray<string>) => `{"type":"dir content","content":[${items.join(',')}]}`

export const respondWithLastPage = (...names: ReadonlyArray<string>): RequestListener =>
  respond(200, listingOf(...names.map((name) => item(name))))

export const respondWithPage = (after: string, ...names: ReadonlyArray<string>): RequestListener =>
  respond(200, listingOf(...names.map((name) => item(name))), { Link: `<?limit=2&after=${after}>; rel="next"` })

export const nowhere = 'http://127.0.0.1'
export const root = { type: 'dir', name: '' }

export const clientWithFetch = (fetch: () => unknown) =>
  createClient({ baseUrl: nowhere, retries: 0, fetch: fetch as () => Promise<Response> })
