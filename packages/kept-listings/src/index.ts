export { keepListings } from './keepListings.js'
export type { AreaRoot, Notices } from './Notices.js'
export type { Storage } from './Storage.js'
