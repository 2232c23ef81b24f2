export { fsStorage } from './fsStorage.js'
export * as StorageRoot from './StorageRoot.js'
