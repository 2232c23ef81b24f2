// Exports values by module, ports and operations by name.
export * as AccessToken from './AccessToken.js'
export * as Area from './Area.js'
export type { Access, AuthorizedRequest } from './AuthorizedRequest.js'
export type { StorageRequest, UserContentRequest } from './authorization.js'
export * as Entry from './Entry.js'
export * as Envelope from './Envelope.js'
export * as Failure from './Failure.js'
export type { Archive, File } from './File.js'
export * as Items from './Items.js'
export * as Lines from './Lines.js'
export * as Listing from './Listing.js'
export { listPage, listPages } from './listPages.js'
export * as Name from './Name.js'
export * as NamePattern from './NamePattern.js'
export { fileOperations, operations, type TriggerRequest } from './operations.js'
export type {
  AreaOfTokenEnv,
  AreaOfUserEnv,
  ListEnv,
  ListOptions,
  NodeAtEnv,
  OpenedFile,
  OpenFileEnv,
  SettingsOfEnv,
  Signal,
  TriggerOfEnv,
} from './ports.js'
export type { Rule } from './Rules.js'
export * as Rules from './Rules.js'
export * as Settings from './Settings.js'
export type { OpenStorageModule, StorageModule } from './StorageModule.js'
export * as StoragePath from './StoragePath.js'
export * as Tree from './Tree.js'
export * as TreeNode from './TreeNode.js'
export * as TriggerId from './TriggerId.js'
export * as TriggerValue from './TriggerValue.js'
export * as U64 from './U64.js'
export * as UserId from './UserId.js'
export * as View from './View.js'
export { type Explanation, explainVisibility, visibleChildren, visitorMayRequest } from './View.js'
export * as Visibility from './Visibility.js'
