import { inSlices } from '@canopy/event-loop'

/** However many numbers there are, timers and sockets are served every few milliseconds meanwhile. */
export const squares = (numbers: ReadonlyArray<number>) => inSlices(numbers, (n) => n * n)
