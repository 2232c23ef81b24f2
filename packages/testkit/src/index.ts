export type * from './World.js'
