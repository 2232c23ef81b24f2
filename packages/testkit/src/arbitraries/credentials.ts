import { AccessToken, TriggerId, UserId } from '@canopy/domain'
import * as fc from 'fast-check'
import { name } from './names.js'
import { u64 } from './values.js'

export const accessToken: fc.Arbitrary<AccessToken.AccessToken> = fc
  .uint8Array({ minLength: 32, maxLength: 32 })
  .map((bytes) => `cnp_${Buffer.from(bytes).toString('base64url')}`)
  .filter(AccessToken.is)

export const userId: fc.Arbitrary<UserId.UserId> = u64.filter(UserId.is)

export const triggerId: fc.Arbitrary<TriggerId.TriggerId> = fc
  .oneof({ withCrossShrink: true }, fc.stringMatching(/^[a-z0-9_-]{1,12}$/), name)
  .filter(TriggerId.is)

/** What no account, token or trigger can have for a credential. */
const undecodable = ['%', '%zz', '%00', '%FF', '%C3%28', '%ED%A0%80', '%2F', 'a%2Fb']

const nearlyTokens = ['cnp_', `cnp_${'A'.repeat(42)}`, `cnp_${'A'.repeat(44)}`, 'A'.repeat(43)]
// Its last character carries bits that no byte uses: it would be a second spelling of another token.
const surplusBits = `cnp_${'A'.repeat(42)}B`

export const malformedToken: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('x', surplusBits, ...nearlyTokens, ...undecodable),
  accessToken.map((token) => token.replace('cnp_', 'CNP_')),
)

const nearlyNumbers = ['-1', '+1', '00', '042', '1.0', '1e3', '0x1', 'me', '%200', '%D9%A1', '18446744073709551616']

export const malformedUser: fc.Arbitrary<string> = fc.constantFrom(...nearlyNumbers, ...undecodable)

export const malformedTrigger: fc.Arbitrary<string> = fc.constantFrom('x'.repeat(256), ...undecodable)
