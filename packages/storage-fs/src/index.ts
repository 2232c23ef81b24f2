export { type FsStorage, fsStorage } from './fsStorage.js'
export { type FsNotices, fsNotices } from './notices/fsNotices.js'
export * as StorageRoot from './StorageRoot.js'
export { storageReachable } from './storageReachable.js'
