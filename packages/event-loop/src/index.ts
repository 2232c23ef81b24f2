export { breathing, turn } from './breathing.js'
export { inSlices } from './inSlices.js'
export { oneAfterTheOther } from './oneAfterTheOther.js'
export { endOfRound, polled } from './rounds.js'
