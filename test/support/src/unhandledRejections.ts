import { setImmediate as turn } from 'node:timers/promises'

/** Returns the unhandled rejections of a run, and hides them from other listeners. */
export const unhandledRejections = async (run: () => Promise<unknown>): Promise<ReadonlyArray<unknown>> => {
  const seen: Array<unknown> = []
  const see = (reason: unknown): void => void seen.push(reason)
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', see)
  try {
    await run()
    // Node reports a rejection after its turn of the event loop.
    await turn()
    await turn()
  } finally {
    process.off('unhandledRejection', see)
    for (const other of others) process.on('unhandledRejection', other)
  }
  return seen
}
