import { AccessToken } from '@canopy/domain'
import * as fc from 'fast-check'

export const accessToken: fc.Arbitrary<AccessToken.AccessToken> = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `cnp_${Buffer.from(bytes).toString('base64url')}`)
  .filter(AccessToken.is)
