import type { TriggerId } from '@canopy/domain'

/** Where the five operations answer. `path` is raw: nothing for the root, else `/` and percent-encoded segments. */
type Lookup = 'tree' | 'diritems'

export const storageUrl = (baseUrl: string, lookup: Lookup, token: string, path: string): string =>
  `${baseUrl}/api/storage/v1/${lookup}/${token}${path}`

export const userContentUrl = (baseUrl: string, lookup: Lookup, user: string, path: string): string =>
  `${baseUrl}/api/usercontent/v1/${lookup}/id/${user}${path}`

export const peekUrl = (baseUrl: string, id: TriggerId.TriggerId): string =>
  `${baseUrl}/api/triggers/v1/peek/${encodeURIComponent(id)}`
