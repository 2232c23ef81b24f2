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
export * from './failures.js'
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
