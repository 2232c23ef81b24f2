import { LRUCache } from 'lru-cache'

/** Counts the tokens and trigger ids that a client tried without success, never against the token: it cannot be locked. */
export interface FailedLookups {
  /** Whole seconds until this client may try again; 0 when it may now. */
  readonly waitSeconds: (client: () => string) => Promise<number>
  readonly count: (client: () => string) => Promise<void>
}

export const unlimited: FailedLookups = { waitSeconds: async () => 0, count: async () => undefined }

const minuteMs = 60_000

/** So many clients are counted, some 27 MB; beyond that the one whose last failure is oldest is forgotten. */
const mostClients = 100_000

/**
 * So many failures a minute for each client, in this process; 0 for no limit. The minute is measured by a monotonic clock,
 * so setting the machine's clock neither frees nor holds anyone.
 */
export const failedLookups = (perMinute: number): FailedLookups => {
  if (perMinute === 0) return unlimited
  const failures = new LRUCache<string, number>({
    // As a size: for a number of entries the cache would take all its memory at once.
    maxSize: mostClients,
    sizeCalculation: () => 1,
    ttl: minuteMs,
    perf: performance,
  })
  let lastFailure = Number.NEGATIVE_INFINITY

  const count = (client: string): void => {
    lastFailure = performance.now()
    // The minute begins with the first failure.
    const isRunning = failures.getRemainingTTL(client) > 0
    failures.set(client, isRunning ? (failures.get(client) ?? 0) + 1 : 1, { noUpdateTTL: isRunning })
  }
  return {
    waitSeconds: async (clientOf) => {
      // After a minute without a failure, who asks does not matter.
      if (performance.now() - lastFailure > minuteMs) return 0
      const client = clientOf()
      return (failures.get(client) ?? 0) < perMinute
        ? 0
        : Math.max(0, Math.ceil(failures.getRemainingTTL(client) / 1000))
    },
    count: async (clientOf) => count(clientOf()),
  }
}
