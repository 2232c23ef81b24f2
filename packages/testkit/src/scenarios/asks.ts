import type { Ask } from '../Ask.js'

// Paths are raw, as they stand in the request target after the token or the user id.

export const ownerTree = (credential: string, path = '', bounds: { readonly depth?: number } = {}): Ask => ({
  operation: 'storageTree',
  credential,
  path,
  ...bounds,
})

export const visitorTree = (credential: string, path = '', bounds: { readonly depth?: number } = {}): Ask => ({
  operation: 'userContentTree',
  credential,
  path,
  ...bounds,
})

interface Page {
  readonly limit?: number
  readonly after?: string
}

export const ownerItems = (credential: string, path = '', page: Page = {}): Ask => ({
  operation: 'storageDirItems',
  credential,
  path,
  ...page,
})

export const visitorItems = (credential: string, path = '', page: Page = {}): Ask => ({
  operation: 'userContentDirItems',
  credential,
  path,
  ...page,
})

export const peek = (credential: string): Ask => ({ operation: 'triggerPeek', credential })
