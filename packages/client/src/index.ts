// The client with promises. @canopy/client/fp-ts has the same operations as TaskEithers.
export { type Client, type ClientOptions, createClient } from './client.js'
export {
  type Aborted,
  type BadRequest,
  type Call,
  type CallFailure,
  CanopyError,
  type Failure,
  type FileFailure,
  formatFailure,
  type IncompleteResponse,
  type MalformedInput,
  type MalformedResponse,
  type NoResponse,
  type Overloaded,
  type Result,
  type StorageFailure,
  type TimedOut,
  type TooManyRequests,
  type TriggerFailure,
  toResult,
  type UnexpectedResponse,
  type UserContentFailure,
} from './failures.js'
export type { JsonObject, JsonValue } from './json.js'
export type { Page } from './pages.js'
export type { CallOptions, Fetch } from './request.js'
export {
  type DirectoryItem,
  type ExpandedDirectory,
  type NodeVisibility,
  type PeekedTrigger,
  type TreeFile,
  type TreeNode,
  type UnexpandedDirectory,
  type Visibility,
  visibilities,
  type WalkedNode,
} from './responses.js'
export type {
  FileRequest,
  StorageDirItemsRequest,
  StorageTreeRequest,
  TriggerPeekRequest,
  UserContentDirItemsRequest,
  UserContentTreeRequest,
  WalkRequest,
} from './targets.js'
