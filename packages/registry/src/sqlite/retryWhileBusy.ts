import { setTimeout as wait } from 'node:timers/promises'
import { isBusy } from './sqliteErrorCode.js'

const patienceMs = 30_000

/**
 * Tries again, for half a minute, what found the database locked. Waiting here and not inside SQLite lets the holder of
 * the lock go on even when it lives in this very process.
 */
export const retryWhileBusy = <A>(run: () => Promise<A>, until = performance.now() + patienceMs): Promise<A> =>
  Promise.resolve()
    .then(run)
    .catch((cause: unknown) =>
      isBusy(cause) && performance.now() < until
        ? // Not all at the same moment again.
          wait(5 + Math.random() * 20).then(() => retryWhileBusy(run, until))
        : Promise.reject(cause),
    )
