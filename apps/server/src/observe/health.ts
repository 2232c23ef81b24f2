import type { IncomingMessage } from 'node:http'
import { type Failure, U64, type UserId } from '@canopy/domain'
import type { Registry } from '@canopy/registry'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import { type HttpResponse, json } from '../http/HttpResponse.js'
import { withTimeout } from '../ports.js'

/** What the service needs to be ready, by the names that `/readyz` reports. */
export const parts = ['registry', 'storage'] as const

/** The names of the parts that do not answer, and nothing about why. */
type Failed = ReadonlyArray<string>

/** Whether requests should be sent here now: not while it drains, nor while a part fails. */
type Verdict = 'draining' | Failed

/** Each part, and whether it answers. */
type Parts = ReadonlyArray<readonly [part: string, isReady: boolean]>

export interface Readiness {
  /** May be up to a second old, so that probes cannot become load. */
  readonly verdict: T.Task<Verdict>
  /** Cached like the verdict, and the same while the server drains. */
  readonly parts: T.Task<Parts>
  /** From now on the verdict is `draining`, at once. */
  readonly drain: IO.IO<void>
}

/** How to ask each part of the service whether it works; a failure may say why, for `onFailure` alone. */
export type Checks = Readonly<Record<string, TE.TaskEither<unknown, unknown>>>

/** How long a check may take, in milliseconds. */
const timeoutMs = 2_000
/** How long a verdict is good, in milliseconds; one that something failed less, so that its return is soon known. */
const [readyMs, failedMs] = [1_000, 250]

/** Callers that ask while a call is under way share it. */
const shared = <A>(ask: () => Promise<A>): (() => Promise<A>) => {
  let asked: Promise<A> | undefined
  return () => {
    asked ??= ask().finally(() => {
      asked = undefined
    })
    return asked
  }
}

/** Always ready without checks. `onFailure` is called for every check that fails. */
export const readiness = (
  checks: Checks,
  onFailure: (part: string, cause: unknown) => void = () => undefined,
): Readiness => {
  // A check that hangs is not begun again, so that asking often cannot pile up calls of a disk that is gone.
  const bounded = Object.entries(checks).map(([part, check]) => [part, shared(async () => check())] as const)

  const ask = (): Promise<Parts> =>
    Promise.all(
      bounded.map(async ([part, check]) => {
        const answer = await withTimeout(part, timeoutMs, check)()
        if (E.isLeft(answer)) onFailure(part, answer.left)
        return [part, E.isRight(answer)] as const
      }),
    )

  let draining = false
  let asked: Promise<Parts> | undefined
  const forget = (): void => {
    asked = undefined
  }
  const parts = (): Promise<Parts> => {
    asked ??= ask().then((found) => {
      setTimeout(forget, found.every(([, isReady]) => isReady) ? readyMs : failedMs).unref()
      return found
    })
    return asked
  }

  return {
    verdict: async () => {
      if (draining) return 'draining'
      const found = await parts()
      return draining ? 'draining' : found.flatMap(([part, isReady]) => (isReady ? [] : [part]))
    },
    parts,
    drain: () => {
      draining = true
    },
  }
}

/** What an error says that is the cause of a failure, however deep. For the operator alone. */
export const reasonOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'cause' in cause && !(cause instanceof Error)
    ? reasonOf(cause.cause)
    : cause instanceof Error
      ? cause.message
      : 'it did not say why'

const anyUser = U64.zero as UserId.UserId

/** Asks the registry and the storage themselves. Why one does not answer is in the log alone. */
export const serverReadiness = (
  { areaOfUser }: Pick<Registry, 'areaOfUser'>,
  storage: TE.TaskEither<Failure.External, unknown>,
  log: Logger,
): Readiness => {
  const checks: { readonly [Part in (typeof parts)[number]]: Checks[string] } = {
    // One row by its key, or none: the cheapest thing a registry can be asked.
    registry: pipe(
      areaOfUser(anyUser),
      TE.orElseW((failure) => (failure.error === 'external' ? TE.left(failure) : TE.right(undefined))),
    ),
    storage,
  }
  return readiness(checks, (part, cause) => log.warn({ part, cause: reasonOf(cause) }, 'not ready'))
}

const answer = (status: number, body: Readonly<Record<string, unknown>>): HttpResponse => ({
  status,
  headers: { 'Cache-Control': 'no-store' },
  body: json(JSON.stringify(body)),
})

const healthy = answer(200, { type: 'health', status: 'ok' })

const answerOf = (verdict: Verdict): HttpResponse => {
  if (verdict === 'draining') return answer(503, { type: 'ready', status: 'draining' })
  return verdict.length === 0
    ? answer(200, { type: 'ready', status: 'ok' })
    : answer(503, { type: 'ready', status: 'failed', failed: verdict })
}

export type Probe = (readiness: Readiness) => Promise<HttpResponse>

const probes: ReadonlyMap<string, Probe> = new Map<string, Probe>([
  ['/healthz', async () => healthy],
  ['/readyz', async ({ verdict }) => answerOf(await verdict())],
])

/**
 * `/healthz`: the process answers. `/readyz`: so do the registry and the storage, and the server is not going away.
 * `undefined` for any other request. To be answered also when nothing else is.
 */
export const probeOf = ({ url = '' }: IncomingMessage, basePath: string): Probe | undefined => {
  const path = url.includes('?') ? url.slice(0, url.indexOf('?')) : url
  return path.startsWith(basePath) ? probes.get(path.slice(basePath.length)) : undefined
}

/** The methods of a probe. */
export const probeMethods = 'GET, HEAD'
