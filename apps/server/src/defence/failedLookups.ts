import type { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'

/** Counts the tokens and trigger ids that a client tried in vain, never against the token: it cannot be locked. */
export interface FailedLookups {
  /** Whole seconds until this client may try again; 0 when it may now. */
  readonly waitSeconds: (client: () => string) => Promise<number>
  readonly count: (client: () => string) => Promise<void>
}

/** The other processes of the same service. What one of them counts, those that run count too. */
export interface OtherProcesses {
  readonly tell: (client: string) => void
  readonly hear: (heard: (client: string) => void) => void
}

export const noOtherProcesses: OtherProcesses = { tell: () => undefined, hear: () => undefined }

export const unlimited: FailedLookups = { waitSeconds: async () => 0, count: async () => undefined }

const minute = 60

const wait = (state: RateLimiterRes | null): number =>
  state === null || state.remainingPoints > 0 ? 0 : Math.max(1, Math.ceil(state.msBeforeNext / 1000))

// Loaded at the first failure: it brings a store for every database.
const limiterOf = async (perMinute: number): Promise<RateLimiterMemory> => {
  const { RateLimiterMemory } = await import('rate-limiter-flexible')
  return new RateLimiterMemory({ points: perMinute, duration: minute })
}

/**
 * So many failures a minute for each client, in all processes together; 0 for no limit. A process that has just started
 * knows of none.
 */
export const failedLookups = (perMinute: number, others: OtherProcesses = noOtherProcesses): FailedLookups => {
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
  // Whoever cannot count what others say is no worse off than alone.
  others.hear((client) => void count(client).catch(() => undefined))
  return {
    // While nobody has failed for longer than a failure counts, it does not matter who asks.
    waitSeconds: async (client) =>
      limiter === undefined || performance.now() - lastFailure > 2 * minute * 1000
        ? 0
        : wait(await (await limiter).get(client())),
    count: (clientOf) => {
      const client = clientOf()
      others.tell(client)
      return count(client)
    },
  }
}
