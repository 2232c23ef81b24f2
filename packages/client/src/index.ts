// The client with promises. @canopy/client/fp-ts has the same operations as TaskEithers.
export type {
  DirectoryItem,
  ExpandedDirectory,
  NodeVisibility,
  PeekedTrigger,
  TreeFile,
  TreeNode,
  UnexpandedDirectory,
  Visibility,
} from './answers.js'
export { type Client, type ClientOptions, client } from './client.js'
export {
  type Aborted,
  type BadRequest,
  type Call,
  type CallFailure,
  CanopyError,
  type Failure,
  type IncompleteAnswer,
  type MalformedAnswer,
  type MalformedInput,
  messageOf,
  type NoAnswer,
  type Overloaded,
  type Result,
  result,
  type StorageFailure,
  type TimedOut,
  type TooManyRequests,
  type TriggerFailure,
  type UnexpectedAnswer,
  type UserContentFailure,
} from './failures.js'
export type { JsonObject, JsonValue } from './json.js'
export type { Page } from './pages.js'
export type {
  StorageDirItemsRequest,
  StorageTreeRequest,
  TriggerPeekRequest,
  UserContentDirItemsRequest,
  UserContentTreeRequest,
} from './paths.js'
export type { CallOptions, Fetch } from './request.js'
