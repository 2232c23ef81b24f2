import type { Hash } from 'node:crypto'

/** Of a hash of the whole body. Weak, since the same answer may come compressed in several ways. */
export const entityTag = (sha256: Hash): string => `W/"${sha256.digest('base64url').slice(0, 22)}"`
