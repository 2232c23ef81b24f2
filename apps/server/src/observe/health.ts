import type { IncomingMessage } from 'node:http'
import { type Failure, U64, type UserId } from '@canopy/domain'
import type { Registry } from '@canopy/registry'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Logger } from 'pino'
import { type Answer, json } from '../http/answers.js'

/** What the service needs to be ready, by the names that `/readyz` reports. */
export const parts = ['registry', 'storage'] as const

type Part = (typeof parts)[number]

/** Whether requests should be sent here now. */
export type Verdict =
  | { readonly is: 'ready' }
  /** Names of the parts that do not answer, and nothing about why. */
  | { readonly is: 'failed'; readonly parts: ReadonlyArray<string> }
  | { readonly is: 'draining' }

export interface Readiness {
  /** May be up to a second old, so that probes cannot become load. */
  readonly verdict: T.Task<Verdict>
  /** From now on the verdict is `draining`, at once. */
  readonly drain: IO.IO<void>
}

/** How to ask each part of the service whether it works; a failure may say why, for `onFailure` alone. */
export type Checks = Readonly<Record<string, TE.TaskEither<unknown, unknown>>>

/** How long a check may take, in milliseconds. */
const timeoutMs = 2_000
/** How long a verdict is good, in milliseconds; one that something failed less, so that its return is soon known. */
const [readyMs, failedMs] = [1_000, 250]

const settled = async (
  check: TE.TaskEither<unknown, unknown>,
  onFailure: (cause: unknown) => void,
): Promise<boolean> => {
  try {
    const answer = await check()
    if (E.isLeft(answer)) onFailure(answer.left)
    return E.isRight(answer)
  } catch (thrown) {
    onFailure(thrown)
    return false
  }
}

/**
 * Whether a check succeeds in time. One that still hangs is not begun again, so that asking often cannot pile up calls
 * of a disk that is gone.
 */
const answersInTime = (
  check: TE.TaskEither<unknown, unknown>,
  timeoutMs: number,
  onFailure: (cause: unknown) => void,
): T.Task<boolean> => {
  let running: Promise<boolean> | undefined
  return () =>
    new Promise((resolve) => {
      const timer = setTimeout(() => {
        onFailure(new Error(`no answer within ${timeoutMs} ms`))
        resolve(false)
      }, timeoutMs).unref()
      running ??= settled(check, onFailure).finally(() => {
        running = undefined
      })
      void running.then((answers) => {
        clearTimeout(timer)
        return resolve(answers)
      })
    })
}

/** Always ready without checks. `onFailure` is called for every check that fails. */
export const readiness = (
  checks: Checks,
  onFailure: (part: string, cause: unknown) => void = () => undefined,
): Readiness => {
  const parts = Object.entries(checks).map(
    ([part, check]) => [part, answersInTime(check, timeoutMs, (cause) => onFailure(part, cause))] as const,
  )
  let draining = false
  let kept: { readonly verdict: Promise<Verdict>; until: number } | undefined

  const ask = async (): Promise<Verdict> => {
    const answered = await Promise.all(parts.map(async ([part, answers]) => ((await answers()) ? [] : [part])))
    const failed = answered.flat()
    return failed.length === 0 ? { is: 'ready' } : { is: 'failed', parts: failed }
  }

  // All that ask in the meantime wait for the same answer.
  const asked = (): Promise<Verdict> => {
    if (kept === undefined || performance.now() >= kept.until) {
      const asking = { verdict: ask(), until: Number.POSITIVE_INFINITY }
      void asking.verdict.then((verdict) => {
        asking.until = performance.now() + (verdict.is === 'ready' ? readyMs : failedMs)
        return verdict
      })
      kept = asking
    }
    return kept.verdict
  }

  return {
    verdict: async () => {
      if (draining) return { is: 'draining' }
      const verdict = await asked()
      return draining ? { is: 'draining' } : verdict
    },
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

type AskedRegistry = Pick<Registry, 'areaOfUser'>

/** One row by its key, or none: the cheapest thing a registry can be asked. */
const registryAnswers = ({ areaOfUser }: AskedRegistry): TE.TaskEither<Failure.External, unknown> =>
  pipe(
    areaOfUser(anyUser),
    TE.orElseW((failure) => (failure.error === 'external' ? TE.left(failure) : TE.right(undefined))),
  )

/** Asks the registry and the storage themselves. Why one does not answer is in the log alone. */
export const serverReadiness = (
  registry: AskedRegistry,
  storage: TE.TaskEither<Failure.External, unknown>,
  log: Logger,
): Readiness => {
  const checks: { readonly [Of in Part]: Checks[string] } = {
    registry: registryAnswers(registry),
    storage,
  }
  return readiness(checks, (part, cause) => log.warn({ part, cause: reasonOf(cause) }, 'not ready'))
}

const answer = (status: number, body: Readonly<Record<string, unknown>>): Answer => ({
  status,
  headers: { 'Cache-Control': 'no-store' },
  body: json(JSON.stringify(body)),
})

const healthy = answer(200, { type: 'health', status: 'ok' })

const answerOf = (verdict: Verdict): Answer => {
  switch (verdict.is) {
    case 'ready':
      return answer(200, { type: 'ready', status: 'ok' })
    case 'failed':
      return answer(503, { type: 'ready', status: 'failed', failed: verdict.parts })
    case 'draining':
      return answer(503, { type: 'ready', status: 'draining' })
  }
}

type Probe = (readiness: Readiness) => Promise<Answer>

const probes: ReadonlyMap<string, Probe> = new Map<string, Probe>([
  ['/healthz', async () => healthy],
  ['/readyz', async ({ verdict }) => answerOf(await verdict())],
])

/**
 * `/healthz`: the process answers. `/readyz`: so do the registry and the storage, and the server is not going away.
 * `undefined` for any other request.
 */
export const probeOf = ({ url = '' }: IncomingMessage, basePath: string): Probe | undefined => {
  const path = url.includes('?') ? url.slice(0, url.indexOf('?')) : url
  return path.startsWith(basePath) ? probes.get(path.slice(basePath.length)) : undefined
}

/** Whether a request asks how the server is: to be answered also when nothing else is. */
export const isProbe = (request: IncomingMessage, basePath: string): boolean => probeOf(request, basePath) !== undefined

/** The methods of a probe. */
export const probeMethods = 'GET, HEAD'
