import type { Failure } from '@canopy/domain'
import type * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { answerOf } from './answerOf.js'
import type { BaseUrl } from './BaseUrl.js'
import { exchange, type Fetch, type Received } from './exchange.js'
import { retrying } from './retrying.js'
import type { TransportFailure } from './TransportFailure.js'
import { within } from './within.js'

/** How a client asks. An option that is `undefined` is as good as left out. */
export interface ClientOptions {
  /** Where the service answers; `Input.baseUrl` makes it from text. */
  readonly baseUrl: BaseUrl
  /** Instead of the global one. */
  readonly fetch?: Fetch | undefined
  /** Attempts after the first, when no answer came or it was cut off, and on 429, 502, 503 and 504. Default: 2. */
  readonly retries?: number | undefined
  /** The wait before the first retry, in milliseconds; it doubles each time. Default: 250. */
  readonly backOffMs?: number | undefined
  /** For one call with all its retries and waits, in milliseconds. Default: 30,000. From 2^31 on: no bound. */
  readonly timeoutMs?: number | undefined
}

/** How one call differs from the others of its client. An option that is `undefined` is as good as left out. */
export interface CallOptions {
  /** Ends the call at any moment: while asking, while reading the body, while waiting to ask again. */
  readonly signal?: AbortSignal | undefined
  /** Instead of the client's: in milliseconds, for this call with all its retries and waits; for a page, of each page. */
  readonly timeoutMs?: number | undefined
}

type Read<A> = (received: Received) => E.Either<TransportFailure, A>

/** Asks a URL for an answer of a column of failures. */
export type Ask = <F extends { readonly error: Failure.FailureName }, A>(
  column: ReadonlyArray<F['error']>,
  read: Read<A>,
  url: string,
  call: CallOptions,
) => TE.TaskEither<F | TransportFailure, A>

const globalFetch: Fetch = (url, init) => fetch(url, init)

export const asking =
  ({ fetch = globalFetch, retries = 2, backOffMs = 250, timeoutMs = 30_000 }: ClientOptions): Ask =>
  <F extends { readonly error: Failure.FailureName }, A>(
    column: ReadonlyArray<F['error']>,
    read: Read<A>,
    url: string,
    call: CallOptions,
  ) =>
    pipe(
      within({ signal: call.signal, timeoutMs: call.timeoutMs ?? timeoutMs }, (running) =>
        pipe(exchange(fetch)(url, running.signal), retrying({ retries, backOffMs }, running)),
      ),
      TE.flatMapEither(answerOf<F, A>(column, read)),
    )
