import { type AccessToken, type Area, type AreaOfTokenEnv, type AreaOfUserEnv, UserId } from '@canopy/domain'
import type { SeedRegistry } from '../World.js'
import { describeResult, type Law, mustBe } from './Law.js'
import { account, edgeIds, type RegistryClaim, registryLaw, tokenOf, userOf, validToken } from './registryLaws.js'

const grantOf = (ports: AreaOfTokenEnv, token: string) => ports.areaOfToken(token as AccessToken.AccessToken)()
const areaOf = (ports: AreaOfUserEnv, id: string) => ports.areaOfUser(userOf(id))()

const describeArea = ({ owner }: Area.Area): string => `account ${UserId.toDecimal(owner)}`
const describeGrant = ({ area, scope }: Area.Grant): string => `${describeArea(area)} from ${scope}`

const tokenSays =
  (token: string, expected: string): RegistryClaim =>
  async (ports) =>
    mustBe(`what the token ${token} opens`, expected, describeResult(describeGrant)(await grantOf(ports, token)))

const userSays =
  (id: string, expected: string): RegistryClaim =>
  async (ports) =>
    mustBe(`the area of user ${id}`, expected, describeResult(describeArea)(await areaOf(ports, id)))

const opens = (token: string, id: string, scope = '/'): RegistryClaim => tokenSays(token, `account ${id} from ${scope}`)

const userHasAnArea = (id: string): RegistryClaim => userSays(id, `account ${id}`)

/** Claims that the token opens the area of the user. */
const opensTheAreaOf =
  (token: string, id: string): RegistryClaim =>
  async (ports) => {
    const expected = describeResult(({ location }: Area.Area) => location)(await areaOf(ports, id))
    const found = describeResult(({ area }: Area.Grant) => area.location)(await grantOf(ports, token))
    return mustBe(`the location that the token ${token} opens`, expected, found)
  }

/** Two users never share a location. */
const areasAreApart =
  (ids: ReadonlyArray<string>): RegistryClaim =>
  async (ports) => {
    const usedBy = new Map<string, string>()
    for (const id of ids) {
      const location = describeResult(({ location }: Area.Area) => location)(await areaOf(ports, id))
      const other = usedBy.get(location)
      if (other !== undefined) return [`users ${other} and ${id} have their area in the same place`]
      usedBy.set(location, id)
    }
    return []
  }

const [valid, other, expired, revoked, unknown] = [tokenOf(1), tokenOf(2), tokenOf(3), tokenOf(4), tokenOf(5)] as const

const unusable = [
  { token: expired, scope: '/', state: 'expired' as const },
  { token: revoked, scope: '/', state: 'revoked' as const },
]

const everywhere = edgeIds.map((id, i) => account(id, { tokens: [validToken(tokenOf(i))] }))

const scopes = ['/', '/photos', '/photos/2024', '/photos2', '/Photos', '/a b', '/%2F', '/ü', '/u\u0308', '/"', "/'"]

/** A careless comparison confuses these tokens with `valid`. */
const lookalikes = [
  valid.replace('AAA', 'aaa'),
  valid.replace('AAA', '___'),
  valid.replace('AAA', '---'),
  valid.replace(/A$/, 'E'),
]

/** The contract of `areaOfToken` and `areaOfUser`. */
export const accessLaws: ReadonlyArray<Law<SeedRegistry>> = [
  registryLaw(
    'a valid token opens the area of its account',
    everywhere,
    edgeIds.map((id, i) => opens(tokenOf(i), id)),
  ),
  registryLaw(
    'a token opens its area from its scope downwards',
    [account('7', { tokens: scopes.map((scope, i) => validToken(tokenOf(i), scope)) })],
    scopes.map((scope, i) => opens(tokenOf(i), '7', scope)),
  ),
  registryLaw(
    'an account has as many tokens as were issued',
    [account('7', { tokens: [validToken(valid), validToken(other)] }), account('8')],
    [opens(valid, '7'), opens(other, '7')],
  ),
  registryLaw(
    'unknown, expired and revoked tokens are `invalid token`',
    [account('7', { tokens: [validToken(valid), ...unusable] })],
    [unknown, expired, revoked].map((token) => tokenSays(token, 'invalid token')),
  ),
  registryLaw(
    'tokens compare to the letter',
    [account('7', { tokens: [validToken(valid)] })],
    lookalikes.map((token) => tokenSays(token, 'invalid token')),
  ),
  registryLaw(
    'a valid token of an account that is not verified is `not verified`',
    [account('7', { verified: false, tokens: [validToken(valid)] }), account('8', { tokens: [validToken(other)] })],
    [tokenSays(valid, 'not verified'), opens(other, '8')],
  ),
  registryLaw(
    'an expired or revoked token is `invalid token`, also of an account that is not verified',
    [account('7', { verified: false, tokens: unusable })],
    [expired, revoked].map((token) => tokenSays(token, 'invalid token')),
  ),
  registryLaw(
    'the id of a verified account leads to its area, whichever u64 it is',
    everywhere,
    edgeIds.map(userHasAnArea),
  ),
  registryLaw(
    'an unknown and an unverified account are `permission denied`',
    [account('7', { verified: false, tokens: [validToken(valid)] }), account('8')],
    ['7', '9', '0', '80', '18446744073709551615'].map((id) => userSays(id, 'permission denied')),
  ),
  registryLaw(
    'ids compare as numbers, over the whole of u64',
    edgeIds.filter((_, i) => i % 2 === 0).map((id) => account(id)),
    edgeIds.map((id, i) => (i % 2 === 0 ? userHasAnArea(id) : userSays(id, 'permission denied'))),
  ),
  registryLaw(
    'a token opens the same area that its user has',
    everywhere,
    edgeIds.map((id, i) => opensTheAreaOf(tokenOf(i), id)),
  ),
  registryLaw('no two accounts share an area', everywhere, [areasAreApart(edgeIds)]),
]
