import { type Failure, U64, type UserId } from '@canopy/domain'
import { HttpError } from '@canopy/http'
import type { Registry } from '@canopy/registry'
import { singleFlight } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import { errorResponse, type HttpResponse, json } from '../http/HttpResponse.js'
import { withTimeout } from '../timeout.js'

/** The parts of the service, as `/readyz` names them. */
export const partNames = ['registry', 'storage'] as const

/** The names of the failed parts, without a reason. */
type Failed = ReadonlyArray<string>

/** The service is ready if no part failed. */
type Verdict = 'draining' | Failed

type PartStates = ReadonlyArray<readonly [part: string, isReady: boolean]>

export interface Readiness {
  /** May be up to a second old, so that probes cannot become load. */
  readonly verdict: T.Task<Verdict>
  /** Cached like the verdict. Unlike the verdict, it does not change when the server drains. */
  readonly parts: T.Task<PartStates>
  /** Changes the verdict to `draining` for good, so that load balancers send no more requests. */
  readonly announceStop: IO.IO<void>
}

/** Checks, keyed by part. A failure may have a cause, which only `onFailure` receives. */
export type Checks = Readonly<Record<string, TE.TaskEither<unknown, unknown>>>

// All in milliseconds.
const timeoutMs = 2_000
/** How long a verdict is cached. A failed one expires sooner, so that a recovery shows soon. */
const [readyMs, failedMs] = [1_000, 250]

/** Without checks the service is always ready. */
export const readiness = (
  checks: Checks,
  onFailure: (part: string, cause: unknown) => void = () => undefined,
): Readiness => {
  // While a check hangs, no other check of its part starts, so that frequent probes cannot pile up calls to a dead disk.
  const flight = singleFlight<E.Either<unknown, unknown>>()
  const ask = (): Promise<PartStates> =>
    Promise.all(
      Object.entries(checks).map(async ([part, check]) => {
        const result = await withTimeout(part, timeoutMs, () => flight(part, async () => check()))()
        if (E.isLeft(result)) onFailure(part, result.left)
        return [part, E.isRight(result)] as const
      }),
    )

  let isStopping = false
  let asked: Promise<PartStates> | undefined
  const forget = (): void => {
    asked = undefined
  }
  const parts = (): Promise<PartStates> => {
    asked ??= ask().then((found) => {
      setTimeout(forget, found.every(([, isReady]) => isReady) ? readyMs : failedMs).unref()
      return found
    })
    return asked
  }

  return {
    verdict: async () => {
      if (isStopping) return 'draining'
      const found = await parts()
      return isStopping ? 'draining' : found.flatMap(([part, isReady]) => (isReady ? [] : [part]))
    },
    parts,
    announceStop: () => {
      isStopping = true
    },
  }
}

/** Returns the message of the innermost cause of a failure. Only for the operator. */
export const reasonOfFailure = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'cause' in cause && !(cause instanceof Error)
    ? reasonOfFailure(cause.cause)
    : cause instanceof Error
      ? cause.message
      : 'unknown reason'

const anyUser = U64.zero as UserId.UserId

/** Checks the registry and the storage. Only the log has the cause of a failure. */
export const serverReadiness = (
  { areaOfUser }: Pick<Registry, 'areaOfUser'>,
  storage: TE.TaskEither<Failure.External, unknown>,
  log: Logger,
): Readiness => {
  const checks: { readonly [Part in (typeof partNames)[number]]: Checks[string] } = {
    // The cheapest call of a registry: one row by its key, which need not exist.
    registry: pipe(
      areaOfUser(anyUser),
      TE.orElseW((failure) => (failure.error === 'external' ? TE.left(failure) : TE.right(undefined))),
    ),
    storage,
  }
  return readiness(checks, (part, cause) => log.warn({ part, cause: reasonOfFailure(cause) }, 'not ready'))
}

const jsonResponse = (status: number, body: Readonly<Record<string, unknown>>): HttpResponse => ({
  status,
  headers: { 'Cache-Control': 'no-store' },
  body: json(JSON.stringify(body)),
})

const healthy = jsonResponse(200, { type: 'health', status: 'ok' })

const readinessResponse = (verdict: Verdict): HttpResponse => {
  if (verdict === 'draining') return jsonResponse(503, { type: 'ready', status: 'draining' })
  return verdict.length === 0
    ? jsonResponse(200, { type: 'ready', status: 'ok' })
    : jsonResponse(503, { type: 'ready', status: 'failed', failed: verdict })
}

export type Probe = (readiness: Readiness) => Promise<HttpResponse>

/**
 * Keyed by the path below the base path. `/healthz`: the process responds. `/readyz`: registry and storage answer too, and the
 * server is not stopping. Probes get a response even if all other requests are refused.
 */
export const probes: ReadonlyMap<string, Probe> = new Map<string, Probe>([
  ['/healthz', async () => healthy],
  ['/readyz', async ({ verdict }) => readinessResponse(await verdict())],
])

const methodNotAllowed = errorResponse(HttpError.methodNotAllowed)

/** The response to a probe by any method but GET and HEAD. */
export const probesOnlyRead: HttpResponse = {
  ...methodNotAllowed,
  headers: { ...methodNotAllowed.headers, Allow: 'GET, HEAD' },
}
