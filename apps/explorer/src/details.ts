// Panels beside the first rows, which load while the rows are visible.
export { Reasons } from './Chain.js'
export { Outline } from './Outline.js'
export { canRequest, isListed } from './visitor.js'
export { Why } from './Why.js'
