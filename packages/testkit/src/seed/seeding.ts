import { inspect } from 'node:util'

const textOf = (cause: unknown): string => {
  if (cause instanceof Error) return cause.message === '' ? cause.name : cause.message
  return typeof cause === 'string' ? cause : inspect(cause, { breakLength: Number.POSITIVE_INFINITY })
}

/** The function that seeds a backend failed: what was to be asked is neither so nor violated. */
export class SeedingFailed extends Error {
  override readonly name = 'SeedingFailed'
  /** What it was seeded for: a law, or a world of a backend. */
  constructor(purpose: string, cause: unknown) {
    super(`seeding failed for ${purpose}: ${textOf(cause)}`, { cause })
  }
}

const isSeeded = (outcome: unknown): boolean =>
  typeof outcome === 'object' && outcome !== null && 'close' in outcome && typeof outcome.close === 'function'

const causeIn = (outcome: unknown): unknown =>
  typeof outcome === 'object' && outcome !== null && 'left' in outcome
    ? outcome.left
    : `it gave ${textOf(outcome)}, which cannot be closed`

/** What was seeded. Throws {@link SeedingFailed} where seeding throws, rejects, or gives a `Left` or anything else. */
export const seeding = async <A extends { readonly close: () => Promise<void> }>(
  purpose: string,
  seed: () => Promise<A>,
): Promise<A> => {
  const outcome = await (async () => seed())().catch((thrown: unknown) => {
    throw new SeedingFailed(purpose, thrown)
  })
  if (!isSeeded(outcome)) throw new SeedingFailed(purpose, causeIn(outcome))
  return outcome
}
