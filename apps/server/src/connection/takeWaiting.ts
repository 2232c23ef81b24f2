import type { Server } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'

/** Under steady load the queue is never empty for long, in milliseconds. */
const longestQueueMs = 2_000

/** What is short, in milliseconds: as long as the idlest turn takes at first, and more the longer none is. */
const shortTurns = (waitedMs: number): number => 0.05 + waitedMs / 1_000

/**
 * Takes the connections that wait in the system's queue: closing would reset them. Node takes one in each turn of its event
 * loop: a turn that took none, and was too short for one to come meanwhile, leaves none behind.
 */
export const takeWaiting = async (server: Server): Promise<void> => {
  let taken = 0
  const count = (): void => {
    taken += 1
  }
  server.on('connection', count)
  const start = performance.now()
  for (let began = start; began < start + longestQueueMs; ) {
    const before = taken
    await turn()
    await turn()
    const now = performance.now()
    if (taken === before && now - began < shortTurns(now - start)) break
    began = now
  }
  server.off('connection', count)
}
