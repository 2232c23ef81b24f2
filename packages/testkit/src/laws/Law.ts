import type * as TE from 'fp-ts/lib/TaskEither.js'

/** A sentence about every `Subject`, and a way to look for violations of it. Knows no test runner. */
export interface Law<Subject> {
  readonly name: string
  /** Every violation found, each as a sentence; none when the law holds. Rejects with `SeedingFailed` where nothing could be seeded. */
  readonly violations: (subject: Subject) => Promise<ReadonlyArray<string>>
}

/** How long a law waits for one answer, in milliseconds: less than a server does, more than a healthy storage takes. */
const limitMs = 5_000

/** Thrown where an answer should be. Nothing more is asked then: each question would wait as long. */
export class Unanswered extends Error {
  constructor(question: string) {
    super(`${question} must answer, and had not after ${limitMs / 1000} s`)
  }
}

/** Asks, and waits no longer than the limit. */
export const inTime =
  <E, A>(question: string, ask: () => TE.TaskEither<E, A>): TE.TaskEither<E, A> =>
  async () => {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Unanswered(question)), limitMs)
    })
    try {
      return await Promise.race([ask()(), late])
    } finally {
      clearTimeout(timer)
    }
  }

/** What to say of something thrown, unless it stands for an answer that did not come. */
export const unlessUnanswered =
  (violation: (thrown: unknown) => string) =>
  (thrown: unknown): ReadonlyArray<string> => {
    if (thrown instanceof Unanswered) throw thrown
    return [violation(thrown)]
  }

/** Something that must be so in what was seeded: every violation as a sentence. */
export type Claim<Seeded> = (seeded: Seeded) => Promise<ReadonlyArray<string>>

/** All of them, one after the other, up to a question that is not answered. */
export const all =
  <Seeded>(claims: ReadonlyArray<Claim<Seeded>>): Claim<Seeded> =>
  async (seeded) => {
    const violations: Array<string> = []
    try {
      for (const claim of claims) violations.push(...(await claim(seeded)))
      return violations
    } catch (thrown) {
      if (thrown instanceof Unanswered) return [...violations, thrown.message]
      throw thrown
    }
  }

/** All of them, each asking before any other is answered. */
export const atOnce =
  <Seeded>(claims: ReadonlyArray<Claim<Seeded>>): Claim<Seeded> =>
  async (seeded) =>
    (await Promise.all(claims.map((claim) => claim(seeded)))).flat()
