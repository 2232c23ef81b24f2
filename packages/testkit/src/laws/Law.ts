import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'

/** A sentence about every `Subject`, and a way to look for violations of it. Knows no test runner. */
export interface Law<Subject> {
  readonly name: string
  /** Every violation found, each as a sentence; none when the law holds. Rejects with `SeedingFailed` where nothing could be seeded. */
  readonly violations: (subject: Subject) => Promise<ReadonlyArray<string>>
}

/** How long a law waits for one answer, in milliseconds: less than a server does, more than a healthy storage takes. */
const limitMs = 5_000

/** Thrown where an answer should be. Nothing more is asked then: each question would wait as long. */
class Unanswered extends Error {
  constructor(question: string) {
    super(`${question} must answer, and had not after ${limitMs / 1000} s`)
  }
}

/** The same port, but where it throws, or does not answer in time, a sentence is thrown that says so. */
export const inTime =
  <Asked extends ReadonlyArray<unknown>, Answer>(
    port: (...asked: Asked) => T.Task<Answer>,
    question: (...asked: Asked) => string,
  ) =>
  (...asked: Asked): T.Task<Answer> =>
  async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Unanswered(question(...asked))), limitMs)
    })
    try {
      return await Promise.race([port(...asked)(), late])
    } catch (thrown) {
      if (thrown instanceof Unanswered) throw thrown
      throw new Error(`${question(...asked)} must not throw ${String(thrown)}`, { cause: thrown })
    } finally {
      clearTimeout(timer)
    }
  }

/** Something that must be so in what was seeded: every violation as a sentence. What it throws is one, too. */
export type Claim<Seeded> = (seeded: Seeded) => Promise<ReadonlyArray<string>>

/** Of all claims, one after the other, up to a question that is not answered. */
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

/** All of them, each asking before any other is answered. */
export const atOnce =
  <Seeded>(claims: ReadonlyArray<Claim<Seeded>>): Claim<Seeded> =>
  async (seeded) =>
    (await Promise.all(claims.map((claim) => claim(seeded)))).flat()

/** A name in ASCII, so that two names which look alike are distinguished. */
export const saidName = (name: string): string =>
  JSON.stringify(name).replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** What a port answered: a failure by its name, anything else as `saidRight` says it. */
export const said =
  <A>(saidRight: (a: A) => string) =>
  (answer: E.Either<Failure.Failure, A>): string =>
    pipe(
      answer,
      E.match(({ error }) => error, saidRight),
    )

export const mustBe = (question: string, expected: string, found: string): ReadonlyArray<string> =>
  found === expected ? [] : [`${question} must be ${expected}, and is ${found}`]
