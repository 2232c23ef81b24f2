// Panels beside the first rows, which load while the rows are visible.
export { Reasons } from './Chain.js'
export { Outline } from './Outline.js'
export { isReached, isShown } from './visitor.js'
export { Why } from './Why.js'
