export { type Signal, singleFlight, type Work } from './singleFlight.js'
export { afterNextPoll, endOfTick, timeSlices, yieldToEventLoop } from './yielding.js'
