// The client's door for programs with promises: plain values, one error.
export { isLosslessNumber, type LosslessNumber } from 'lossless-json'
export type { CallOptions } from '../asking.js'
export type { Fetch } from '../exchange.js'
export type { JsonObject, JsonValue, PeekedTrigger } from '../PeekedTrigger.js'
export type { TransportFailure } from '../TransportFailure.js'
export { CanopyError } from './CanopyError.js'
export { type Client, type ClientOptions, client } from './client.js'
export type {
  StorageDirItemsRequest,
  StorageTreeRequest,
  TriggerPeekRequest,
  UserContentDirItemsRequest,
  UserContentTreeRequest,
} from './requests.js'
export type {
  DirectoryItem,
  ExpandedDirectory,
  NodeVisibility,
  Page,
  TreeFile,
  TreeNode,
  UnexpandedDirectory,
  Visibility,
} from './values.js'
