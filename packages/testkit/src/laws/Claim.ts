import { Unanswered } from './inTime.js'

/** Something that must be so in what was planted: every violation as a sentence. */
export type Claim<Planted> = (planted: Planted) => Promise<ReadonlyArray<string>>

/** All of them, one after the other, up to a question that is not answered. */
export const all =
  <Planted>(claims: ReadonlyArray<Claim<Planted>>): Claim<Planted> =>
  async (planted) => {
    const violations: Array<string> = []
    try {
      for (const claim of claims) violations.push(...(await claim(planted)))
      return violations
    } catch (thrown) {
      if (thrown instanceof Unanswered) return [...violations, thrown.message]
      throw thrown
    }
  }

/** All of them, each asking before any other is answered. */
export const atOnce =
  <Planted>(claims: ReadonlyArray<Claim<Planted>>): Claim<Planted> =>
  async (planted) =>
    (await Promise.all(claims.map((claim) => claim(planted)))).flat()
