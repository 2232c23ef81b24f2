import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'

/** A sentence that holds for every `Subject`, and a search for violations. Independent of test runners. */
export interface Law<Subject> {
  readonly name: string
  /** Sentences; empty if the law holds. Rejects with `SeedingFailed` if seeding fails. */
  readonly violations: (subject: Subject) => Promise<ReadonlyArray<string>>
}

/** Shorter than the deadline of a server, longer than any answer of a healthy storage. */
const timeoutMs = 5_000

/** A port did not answer in time. More calls would wait as long, so the law stops. */
class Unanswered extends Error {
  constructor(call: string) {
    super(`${call} must answer, and had not after ${timeoutMs / 1000} s`)
  }
}

/** Creates the task at once, because a port that asks too early must not hide behind a law. */
const createTask = <A>(create: () => T.Task<A>): T.Task<A> => {
  try {
    return create()
  } catch (thrown) {
    return () => Promise.reject(thrown)
  }
}

/** Wraps a port. The errors of a port that throws or does not answer in time name the call. */
export const withTimeout =
  <Args extends ReadonlyArray<unknown>, Answer>(
    port: (...args: Args) => T.Task<Answer>,
    describeCall: (...args: Args) => string,
  ) =>
  (...args: Args): T.Task<Answer> => {
    const task = createTask(() => port(...args))
    return async () => {
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Unanswered(describeCall(...args))), timeoutMs)
      })
      try {
        return await Promise.race([task(), late])
      } catch (thrown) {
        if (thrown instanceof Unanswered) throw thrown
        throw new Error(`${describeCall(...args)} must not throw ${String(thrown)}`, { cause: thrown })
      } finally {
        clearTimeout(timer)
      }
    }
  }

/** Returns the violations in a seeded world as sentences. An exception is a violation, too. */
export type Claim<Seeded> = (seeded: Seeded) => Promise<ReadonlyArray<string>>

/** Checks the claims in sequence, up to a call without an answer. */
export const violationsOf = async <Seeded>(
  claims: ReadonlyArray<Claim<Seeded>>,
  seeded: Seeded,
): Promise<ReadonlyArray<string>> => {
  const violations: Array<string> = []
  for (const claim of claims)
    try {
      violations.push(...(await claim(seeded)))
    } catch (thrown) {
      violations.push(thrown instanceof Error ? thrown.message : String(thrown))
      if (thrown instanceof Unanswered) break
    }
  return violations
}

/** Checks all claims at the same time. */
export const concurrently =
  <Seeded>(claims: ReadonlyArray<Claim<Seeded>>): Claim<Seeded> =>
  async (seeded) =>
    (await Promise.all(claims.map((claim) => claim(seeded)))).flat()

/** Escapes a name to ASCII: readers can then distinguish similar names. */
export const quoteName = (name: string): string =>
  JSON.stringify(name).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Returns the name of a failure, or the description of a value. */
export const describeResult =
  <A>(describeValue: (a: A) => string) =>
  (answer: E.Either<Failure.Failure, A>): string =>
    pipe(
      answer,
      E.match(({ error }) => error, describeValue),
    )

export const mustBe = (what: string, expected: string, found: string): ReadonlyArray<string> =>
  found === expected ? [] : [`${what} must be ${expected}, and is ${found}`]
