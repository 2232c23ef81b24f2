export { type Signal, singleFlight, type Work } from './singleFlight.js'
export { afterNextPoll, endOfTick, oncePerTick, timeSlices, yieldToEventLoop } from './yielding.js'
