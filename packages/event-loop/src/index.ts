export { breathing, turn } from './breathing.js'
export { inSlices } from './inSlices.js'
