import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
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

const causeOf = (thrown: unknown): unknown => (thrown instanceof Error ? thrown.cause : undefined)

const codeIn = (cause: unknown): unknown =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined

/** What was thrown may throw once more when it is looked at. */
const codeOf = (thrown: unknown): string | undefined =>
  pipe(
    O.tryCatch(() => codeIn(causeOf(thrown))),
    O.filter((code): code is string => typeof code === 'string' && /^[A-Z][A-Z0-9_]{1,40}$/.test(code)),
    O.toUndefined,
  )

interface Begun {
  readonly status: number
  readonly response: Response
}

const isResponse = (u: unknown): u is Response =>
  typeof u === 'object' && u !== null && 'status' in u && 'headers' in u && 'arrayBuffer' in u

/**
 * A `fetch` of the caller's own may give anything, also what throws when it is looked at. No `instanceof`: a Response
 * may be of another realm, as in Jest.
 */
const begun = (given: unknown): O.Option<Begun> =>
  pipe(
    O.tryCatch(() => (isResponse(given) ? O.some({ status: given.status, response: given }) : O.none)),
    O.flatten,
    O.filter(({ status }) => Number.isInteger(status)),
  )

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
        // Async: what a fetch gives is awaited, also where it is no promise, or one of another make.
        async () => fetch(url, { ...init, signal }),
        (thrown) => network(codeOf(thrown)),
      ),
      TE.flatMapOption(begun, () => network()),
      TE.flatMap(({ status, response }) =>
        TE.tryCatch(
          async () => ({
            status,
            link: headerOf(response, 'Link'),
            retryAfter: headerOf(response, 'Retry-After'),
            bytes: await response.arrayBuffer(),
          }),
          () => cutOff(status),
        ),
      ),
    )
