import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Counts the tokens and trigger ids that a client tried in vain, never against the token: it cannot be locked. */
export interface FailedLookups {
  /** Whole seconds until this client may try again; 0 when it may now. */
  readonly waitSeconds: (client: () => string) => Promise<number>
  readonly count: (client: () => string) => Promise<void>
}

export const unlimited: FailedLookups = { waitSeconds: async () => 0, count: async () => undefined }

const minute = 60

const wait = (state: RateLimiterRes | null): number =>
  state === null || state.remainingPoints > 0 ? 0 : Math.max(1, Math.ceil(state.msBeforeNext / 1000))

// Loaded at the first failure: it brings a store for every database.
const limiterOf = async (perMinute: number): Promise<RateLimiterMemory> => {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  return new RateLimiterMemory({ points: perMinute, duration: minute })
}

/** So many failures a minute for each client, in this process; 0 for no limit. */
export const failedLookups = (perMinute: number): FailedLookups => {
  if (perMinute === 0) return unlimited
  let limiter: Promise<RateLimiterMemory> | undefined
  let lastFailure = 0
  const count = async (client: string): Promise<void> => {
    lastFailure = performance.now()
    limiter ??= limiterOf(perMinute)
    try {
      await (await limiter).penalty(client)
    } catch (thrown) {
      limiter = undefined
      throw thrown
    }
  }
  return {
    // While nobody has failed for longer than a failure counts, it does not matter who asks.
    waitSeconds: async (client) =>
      limiter === undefined || performance.now() - lastFailure > 2 * minute * 1000
        ? 0
        : wait(await (await limiter).get(client())),
    count: (client) => count(client()),
  }
}
