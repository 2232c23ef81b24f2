import { readFileSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

/** How many notices the kernel queues before it drops what follows, without a word that Node would pass on. */
export const queueLength = pipe(
  E.tryCatch(() => Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8')), E.toError),
  E.filterOrElse(
    (length) => length > 0,
    () => new Error('no length'),
  ),
  E.getOrElse(() => 16_384),
)

/**
 * Counts the notices of each round of the event loop. As many as the kernel's queue holds mean that some may have been
 * lost: then `flooded` is called. Half of them is taken for all, to be safe.
 */
export const countingFloods = (flooded: () => void, most = queueLength / 2): (() => void) => {
  const enough = Math.max(1, Math.floor(most))
  let count = 0
  return () => {
    if (count === 0) {
      setImmediate(() => {
        count = 0
      })
    }
    count += 1
    if (count === enough) flooded()
  }
}
