import { type AccessToken, type Name, StoragePath, type TriggerId, UserId } from '@canopy/domain'

export interface TreeBounds {
  /** Levels of children, from 0 (the node alone). Without it: all. */
  readonly depth?: number
}

export interface PageBounds {
  /** Items at most, from 1. Without it: all. */
  readonly limit?: number
  /** Only items whose name follows this one in byte order. It need not exist. */
  readonly after?: Name.Name
}

interface OfStorage {
  readonly token: AccessToken.AccessToken
  readonly path: StoragePath.StoragePath
}

interface OfUserContent {
  readonly user: UserId.UserId
  readonly path: StoragePath.StoragePath
}

export interface StorageTreeRequest extends OfStorage, TreeBounds {}
export interface UserContentTreeRequest extends OfUserContent, TreeBounds {}
export interface StorageDirItemsRequest extends OfStorage, PageBounds {}
export interface UserContentDirItemsRequest extends OfUserContent, PageBounds {}
export interface TriggerPeekRequest {
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
