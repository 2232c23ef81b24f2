import { yieldToEventLoop } from '@canopy/scheduling'
import type { WriteOptions } from './bodyOf.js'

/** All trees together occupy the event loop for at most this time in a tick. */
const stretchMs = 4
/** Reading the clock takes about as long as writing a node. */
const nodesPerCheck = 16

// Shared by all trees, so that each tick has one stretch of writing, however many trees there are.
let stretchBegan = 0
let checks = 0

/** Reports whether the writer of a tree should yield to the event loop. Called once for each node. */
export const isLate = (): boolean => {
  checks += 1
  return checks % nodesPerCheck === 0 && performance.now() - stretchBegan > stretchMs
}

/** Yields to the event loop. Throws after the client has left. */
export const pause = async (signal: WriteOptions['signal']): Promise<void> => {
  await yieldToEventLoop()
  signal?.throwIfAborted()
  stretchBegan = performance.now()
}
