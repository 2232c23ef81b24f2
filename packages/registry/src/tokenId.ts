import type { AccessToken } from '@canopy/domain'
import { sha256Hex } from './sha256Hex.js'

/** How many digits of the hash name a token. */
export const idLength = 16

export const idOfHash = (sha256: string): string => sha256.slice(0, idLength)

/** The public id of a token, 16 hexadecimal digits: what `canopy token list` shows and `canopy token revoke` takes. */
export const tokenIdOf = (token: AccessToken.AccessToken): string => idOfHash(sha256Hex(token))
