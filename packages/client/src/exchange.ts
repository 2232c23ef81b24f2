import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type CutOff, cutOff, type Network, network } from './TransportFailure.js'

/** What this client needs of `fetch`: the browser's and Node's own are such. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A whole answer, of any status. */
export interface Received {
  readonly status: number
  /** The header `Link`. */
  readonly link: string | null
  /** The header `Retry-After`. */
  readonly retryAfter: string | null
  readonly bytes: ArrayBuffer
}

/** A redirect would take the secrets of the URL elsewhere; the service never redirects. */
const init: RequestInit = {
  method: 'GET',
  headers: { Accept: 'application/json' },
  credentials: 'omit',
  redirect: 'manual',
  referrerPolicy: 'no-referrer',
}

const codeOf = (thrown: unknown): string | undefined => {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code) ? code : undefined
}

/** A `fetch` of the caller's own may give anything. No `instanceof`: a Response may be of another realm, as in Jest. */
const isResponse = (u: unknown): boolean =>
  typeof u === 'object' && u !== null && 'status' in u && 'headers' in u && 'arrayBuffer' in u

/** `null` too for whatever headers of another make give where there is none. */
const headerOf = ({ headers }: Response, name: string): string | null => {
  const value: unknown = headers.get(name)
  return typeof value === 'string' ? value : null
}

/** One request and its whole answer. What `fetch` throws may hold the URL: of it only a system's code is kept. */
export const exchange =
  (fetch: Fetch) =>
  (url: string, signal: AbortSignal): TE.TaskEither<Network | CutOff, Received> =>
    pipe(
      TE.tryCatch(
        () => fetch(url, { ...init, signal }),
        (thrown) => network(codeOf(thrown)),
      ),
      TE.filterOrElse(isResponse, () => network()),
      TE.flatMap((response) =>
        TE.tryCatch(
          async () => ({
            status: response.status,
            link: headerOf(response, 'Link'),
            retryAfter: headerOf(response, 'Retry-After'),
            bytes: await response.arrayBuffer(),
          }),
          () => cutOff(response.status),
        ),
      ),
    )
