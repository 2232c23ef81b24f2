export { breathing, inTurn, turn } from './breathing.js'
export { inSlices } from './inSlices.js'
