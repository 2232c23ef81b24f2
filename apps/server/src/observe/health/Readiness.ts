import type * as IO from 'fp-ts/lib/IO.js'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import { answersInTime } from './answersInTime.js'

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
/** How long a verdict is good, in milliseconds. */
const keptMs = 1_000

/** Always ready without checks. `onFailure` is told of every check that fails. */
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

  // Everybody who asks meanwhile waits for the same answer.
  const asked = (): Promise<Verdict> => {
    if (kept === undefined || performance.now() >= kept.until) {
      const asking = { verdict: ask(), until: Number.POSITIVE_INFINITY }
      void asking.verdict.finally(() => {
        asking.until = performance.now() + keptMs
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
