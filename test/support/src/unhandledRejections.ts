import { setImmediate as turn } from 'node:timers/promises'

/** Every rejection that no one handled while this ran, and shortly after. Other listeners hear nothing in that time. */
export const unhandledRejections = async (run: () => Promise<unknown>): Promise<ReadonlyArray<unknown>> => {
  const seen: Array<unknown> = []
  const see = (reason: unknown): void => void seen.push(reason)
  const others = process.listeners('unhandledRejection')
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', see)
  try {
    await run()
    // Node reports a rejection once its turn of the event loop is over.
    await turn()
    await turn()
  } finally {
    process.off('unhandledRejection', see)
    for (const other of others) process.on('unhandledRejection', other)
  }
  return seen
}
