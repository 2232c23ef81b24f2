import { yieldToEventLoop } from '@canopy/scheduling'

/** All trees together occupy the event loop for at most this time in a tick. */
const stretchMs = 4
/** Reading the clock takes about as long as writing a node. */
const nodesPerCheck = 16

// Shared by all trees, so that each tick has one stretch of writing, however many trees there are.
let stretchBegan = 0
let looks = 0

/** Reports whether the writer of a tree should yield to the event loop. Called once for each node. */
export const isLate = (): boolean => {
  looks += 1
  return looks % nodesPerCheck === 0 && performance.now() - stretchBegan > stretchMs
}

/** Yields to the event loop. Rejects after the client has left. */
export const pause = async (gone: Pick<AbortSignal, 'throwIfAborted'> | undefined): Promise<void> => {
  await yieldToEventLoop()
  gone?.throwIfAborted()
  stretchBegan = performance.now()
}
