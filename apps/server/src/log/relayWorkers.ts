import type { Cluster } from 'node:cluster'
import type { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from './openLog.js'

/** How long the last words of workers may take to come, in milliseconds. */
const lastWordsMs = 1_000

/**
 * Writes what workers log and say: one process alone holds the descriptors of the log, and lines of several do not mix. The
 * result waits until all that was said by workers that have ended is passed on.
 */
export const relayWorkers = (cluster: Cluster, { pass }: Log): (() => Promise<void>) => {
  const open = new Set<Readable>()

  const relay = (stream: Readable | null, take: (text: string) => void): void => {
    if (stream === null) return
    open.add(stream)
    stream.once('close', () => open.delete(stream))
    stream.setEncoding('utf8').on('data', take)
  }

  const wholeLines = (): ((text: string) => void) => {
    let rest = ''
    return (text) => {
      const all = rest + text
      const end = all.lastIndexOf('\n') + 1
      rest = all.slice(end)
      if (end > 0) pass(all.slice(0, end))
    }
  }

  cluster.on('fork', ({ process: { stdout, stderr } }) => {
    relay(stdout, wholeLines())
    relay(stderr, (text) => process.stderr.write(text))
  })

  return async () => {
    const end = performance.now() + lastWordsMs
    while (open.size > 0 && performance.now() < end) await sleep(5)
  }
}
