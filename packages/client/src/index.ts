// The client's door for programs with fp-ts. Promises stand behind @canopy/client/promise.
export { isLosslessNumber, type LosslessNumber } from 'lossless-json'
export type { CallOptions, ClientOptions } from './asking.js'
export type { BaseUrl } from './BaseUrl.js'
export { type Client, client } from './client.js'
export type { Fetch } from './exchange.js'
export type { AnyFailure, StorageFailure, TriggerFailure, UserContentFailure } from './Failure.js'
export * as Input from './Input.js'
export { items } from './items.js'
export type { Page } from './Page.js'
export type { JsonObject, JsonValue, PeekedTrigger } from './PeekedTrigger.js'
export { pages } from './pages.js'
export * as TransportFailure from './TransportFailure.js'
export * as TreeNode from './TreeNode.js'
export type {
  StorageDirItemsRequest,
  StorageTreeRequest,
  TriggerPeekRequest,
  UserContentDirItemsRequest,
  UserContentTreeRequest,
} from './targets.js'
