import { type AccessToken, type Name, StoragePath, type TriggerId, UserId } from '@canopy/domain'

/** How much of a tree is asked for. A bound that is `undefined` is as good as left out. */
export interface TreeBounds {
  /** Levels of children, from 0 (the node alone). Without it: all. */
  readonly depth?: number | undefined
}

/** How much of a listing is asked for. A bound that is `undefined` is as good as left out. */
export interface PageBounds {
  /** Items at most, from 1. Without it: all. */
  readonly limit?: number | undefined
  /** Only items whose name follows this one in byte order. It need not exist. */
  readonly after?: Name.Name | undefined
}

interface OfStorage {
  /** Opens an area, from the token's scope downwards; a secret. `Input.accessToken` makes it from text. */
  readonly token: AccessToken.AccessToken
  /** From the root of the area, also where the token opens only a part of it. `Input.storagePath` makes it from text. */
  readonly path: StoragePath.StoragePath
}

interface OfUserContent {
  /** Whose area is asked for. `Input.userId` makes it from text or a number. */
  readonly user: UserId.UserId
  /** From the root of the area. `Input.storagePath` makes it from text. */
  readonly path: StoragePath.StoragePath
}

export interface StorageTreeRequest extends OfStorage, TreeBounds {}
export interface UserContentTreeRequest extends OfUserContent, TreeBounds {}
export interface StorageDirItemsRequest extends OfStorage, PageBounds {}
export interface UserContentDirItemsRequest extends OfUserContent, PageBounds {}
export interface TriggerPeekRequest {
  /** All that peeking takes, and so a secret. `Input.triggerId` makes it from text. */
  readonly id: TriggerId.TriggerId
}

const pathText = (path: StoragePath.StoragePath): string =>
  StoragePath.segments(path)
    .map((name) => `/${encodeURIComponent(name)}`)
    .join('')

const query = (parameters: TreeBounds & PageBounds): string => {
  const given = [
    ...(parameters.depth === undefined ? [] : [`depth=${encodeURIComponent(parameters.depth)}`]),
    ...(parameters.limit === undefined ? [] : [`limit=${encodeURIComponent(parameters.limit)}`]),
    ...(parameters.after === undefined ? [] : [`after=${encodeURIComponent(parameters.after)}`]),
  ]
  return given.length === 0 ? '' : `?${given.join('&')}`
}

/** What each operation of the interface, part 4, asks for, in its order: all that follows the base URL. */
export const targets = {
  storageTree: ({ token, path, ...bounds }: StorageTreeRequest): string =>
    `/api/storage/v1/tree/${token}${pathText(path)}${query(bounds)}`,
  userContentTree: ({ user, path, ...bounds }: UserContentTreeRequest): string =>
    `/api/usercontent/v1/tree/id/${UserId.toDecimal(user)}${pathText(path)}${query(bounds)}`,
  storageDirItems: ({ token, path, ...bounds }: StorageDirItemsRequest): string =>
    `/api/storage/v1/diritems/${token}${pathText(path)}${query(bounds)}`,
  userContentDirItems: ({ user, path, ...bounds }: UserContentDirItemsRequest): string =>
    `/api/usercontent/v1/diritems/id/${UserId.toDecimal(user)}${pathText(path)}${query(bounds)}`,
  triggerPeek: ({ id }: TriggerPeekRequest): string => `/api/triggers/v1/peek/${encodeURIComponent(id)}`,
}
