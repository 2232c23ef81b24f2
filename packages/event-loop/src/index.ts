export { breathing, turn } from './breathing.js'
export { inSlices } from './inSlices.js'
export { endOfRound, polled } from './rounds.js'
