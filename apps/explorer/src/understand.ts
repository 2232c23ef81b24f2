// What is not needed for the first rows: loaded while they are shown.
export { Outline } from './Outline.js'
export { isReached, isShown } from './visitor.js'
export { Reasons, Why } from './Why.js'
