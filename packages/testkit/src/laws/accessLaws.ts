import { atOnce } from './Claim.js'
import type { Law } from './Law.js'
import {
  areasAreApart,
  opens,
  opensTheAreaOf,
  tokenFails,
  userHasAnArea,
  userIsDenied,
} from './registry/accessClaims.js'
import { registryLaw } from './registry/registryLaw.js'
import { account, tellingIds, tokenOf, validToken } from './registry/worlds.js'
import type { PlantRegistry } from './Subject.js'

const [valid, other, expired, revoked, unknown] = [1, 2, 3, 4, 5].map(tokenOf) as [
  string,
  string,
  string,
  string,
  string,
]

const ofNoUse = [
  { token: expired, scope: '/', state: 'expired' as const },
  { token: revoked, scope: '/', state: 'revoked' as const },
]

const everywhere = tellingIds.map((id, i) => account(id, { tokens: [validToken(tokenOf(i))] }))

const scopes = ['/', '/photos', '/photos/2024', '/photos2', '/Photos', '/a b', '/%2F', '/ü', '/u\u0308', '/"', "/'"]

/** Tokens that a careless comparison takes for `valid`. */
const lookalikes = [
  valid.replace('AAA', 'aaa'),
  valid.replace('AAA', '___'),
  valid.replace('AAA', '---'),
  valid.replace(/A$/, 'E'),
]

/** The contract of `areaOfToken` and `areaOfUser`. */
export const accessLaws: ReadonlyArray<Law<PlantRegistry>> = [
  registryLaw(
    'a valid token opens the area of its account',
    { accounts: everywhere },
    tellingIds.map((id, i) => opens(tokenOf(i), id)),
  ),
  registryLaw(
    'a token opens its area from its scope downwards',
    { accounts: [account('7', { tokens: scopes.map((scope, i) => validToken(tokenOf(i), scope)) })] },
    scopes.map((scope, i) => opens(tokenOf(i), '7', scope)),
  ),
  registryLaw(
    'an account has as many tokens as were issued',
    { accounts: [account('7', { tokens: [validToken(valid), validToken(other)] }), account('8')] },
    [opens(valid, '7'), opens(other, '7')],
  ),
  registryLaw(
    'unknown, expired and revoked tokens are `invalid token`',
    { accounts: [account('7', { tokens: [validToken(valid), ...ofNoUse] })] },
    [unknown, expired, revoked].map((token) => tokenFails(token, 'invalid token')),
  ),
  registryLaw(
    'tokens compare to the letter',
    { accounts: [account('7', { tokens: [validToken(valid)] })] },
    lookalikes.map((token) => tokenFails(token, 'invalid token')),
  ),
  registryLaw(
    'a valid token of an account that nobody verified is `not verified`',
    {
      accounts: [
        account('7', { verified: false, tokens: [validToken(valid)] }),
        account('8', { tokens: [validToken(other)] }),
      ],
    },
    [tokenFails(valid, 'not verified'), opens(other, '8')],
  ),
  registryLaw(
    'an expired or revoked token is `invalid token`, also of an account that nobody verified',
    { accounts: [account('7', { verified: false, tokens: ofNoUse })] },
    [expired, revoked].map((token) => tokenFails(token, 'invalid token')),
  ),
  registryLaw(
    'the id of a verified account leads to its area, whichever u64 it is',
    { accounts: everywhere },
    tellingIds.map(userHasAnArea),
  ),
  registryLaw(
    'an unknown and an unverified account are `permission denied`',
    {
      accounts: [account('7', { verified: false, tokens: [validToken(valid)] }), account('8')],
    },
    ['7', '9', '0', '80', '18446744073709551615'].map(userIsDenied),
  ),
  registryLaw(
    'ids compare as numbers, over the whole of u64',
    { accounts: tellingIds.filter((_, i) => i % 2 === 0).map((id) => account(id)) },
    tellingIds.map((id, i) => (i % 2 === 0 ? userHasAnArea(id) : userIsDenied(id))),
  ),
  registryLaw(
    'a token opens the same area that its user has',
    { accounts: everywhere },
    tellingIds.map((id, i) => opensTheAreaOf(tokenOf(i), id)),
  ),
  registryLaw('every account has an area of its own', { accounts: everywhere }, [areasAreApart(tellingIds)]),
  registryLaw('what is asked at once is answered as one after the other', { accounts: everywhere }, [
    atOnce(tellingIds.flatMap((id, i) => [opens(tokenOf(i), id), userHasAnArea(id)])),
  ]),
  registryLaw(
    'asking changes nothing',
    { accounts: [account('7', { tokens: [validToken(valid), ...ofNoUse] })] },
    [1, 2, 3].flatMap(() => [opens(valid, '7'), tokenFails(expired, 'invalid token'), userHasAnArea('7')]),
  ),
]
