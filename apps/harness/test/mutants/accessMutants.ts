import { fixtureTokens, memoryPorts, type World, type WorldAccount } from '@canopy/testkit'
import { errorOf, failing, withHeader } from './answers.js'
import type { Misreading, Mutant } from './Mutant.js'
import { isOwners, isVisitors, partsOf, reading } from './targets.js'

const accounts =
  (change: (account: WorldAccount) => WorldAccount) =>
  (world: World): World => ({ ...world, accounts: world.accounts.map(change) })

const reviving = (state: 'expired' | 'revoked') =>
  accounts((account) => ({
    ...account,
    tokens: account.tokens.map((token) => (token.state === state ? { ...token, state: 'valid' } : token)),
  }))

const verified = accounts((account) => ({ ...account, verified: true }))

const byToken = (token: string, target: string): boolean => partsOf(target)?.credential === token

const asUser = (change: (id: string) => string): Misreading =>
  reading(({ route, credential }) => (route.endsWith('/id/') ? { credential: change(credential) } : {}))

const asToken = (change: (token: string) => string): Misreading =>
  reading(({ route, credential }) => (route.startsWith('/api/storage/') ? { credential: change(credential) } : {}))

const asDecimal = (change: (id: bigint) => bigint) => (id: string) =>
  /^[0-9]+$/.test(id) ? `${change(BigInt(id))}` : id

/** Accounts and tokens (decisions 7 to 11). */
export const accessMutants: ReadonlyArray<Mutant> = [
  {
    name: 'accepts an expired token',
    caughtBy: 'a tree by an expired token is an invalid token',
    world: reviving('expired'),
  },
  {
    name: 'accepts a revoked token',
    caughtBy: 'a listing by a revoked token is an invalid token',
    world: reviving('revoked'),
  },
  {
    name: 'denies a revoked token permission',
    caughtBy: 'a tree by a revoked token is an invalid token',
    answered: (answer, { target }) =>
      byToken(fixtureTokens.revoked, target) ? failing(answer, 403, 'permission denied') : answer,
  },
  {
    name: 'tells an expired token from an unknown one by a header',
    caughtBy: 'unknown, malformed, expired and revoked tokens are answered alike by a tree',
    answered: (answer, { target }) =>
      byToken(fixtureTokens.expired, target) ? withHeader(answer, 'X-Reason', 'expired') : answer,
  },
  {
    name: 'takes a malformed token for a bad request',
    caughtBy: 'a tree by a token of the wrong form is an invalid token',
    answered: (answer, { target }) => (byToken('cnp_short', target) ? failing(answer, 400, 'bad request') : answer),
  },
  {
    name: 'does not mind the case of a token',
    caughtBy: 'a tree by a token in another case is an invalid token',
    asked: asToken((token) =>
      token.toLowerCase() === fixtureTokens.owner.toLowerCase() ? fixtureTokens.owner : token,
    ),
  },
  {
    name: 'does not decode a token',
    caughtBy: 'a token may be written with escapes',
    asked: asToken((token) => (token.includes('%') ? 'x' : token)),
  },
  {
    name: 'accepts a user id for a token',
    caughtBy: 'a tree by a user id in place of a token is an invalid token',
    asked: asToken((token) => (token === '1' ? fixtureTokens.owner : token)),
  },
  {
    name: 'lets in the owner of an unverified account',
    caughtBy: 'a tree by a valid token of an unverified account is not verified',
    ports: (ports, world) => ({ ...ports, areaOfToken: memoryPorts(verified(world)).areaOfToken }),
  },
  {
    name: 'calls the token of an unverified account invalid',
    caughtBy: 'a listing by a valid token of an unverified account is not verified',
    answered: (answer) => (errorOf(answer) === 'not verified' ? failing(answer, 401, 'invalid token') : answer),
  },
  {
    name: 'shows an unverified account to visitors',
    caughtBy: 'a tree of an unverified user is denied',
    ports: (ports, world) => ({ ...ports, areaOfUser: memoryPorts(verified(world)).areaOfUser }),
  },
  {
    name: 'does not find an unknown user',
    caughtBy: 'a tree of an unknown user is denied',
    answered: (answer, asked) => (asked.target.includes('/id/77') ? failing(answer, 404, 'file not found') : answer),
  },
  {
    name: 'tells an unverified user from an unknown one by a header',
    caughtBy: 'unknown, unverified, private and malformed users are answered alike',
    answered: (answer, asked) =>
      isVisitors(asked) && asked.target.includes('/id/3') ? withHeader(answer, 'X-Verified', 'false') : answer,
  },
  {
    name: 'takes a malformed user id for a bad request',
    caughtBy: 'a listing of a user id that is a word is denied',
    answered: (answer, asked) => (asked.target.includes('/id/me') ? failing(answer, 400, 'bad request') : answer),
  },
  {
    name: 'accepts a leading zero in a user id',
    caughtBy: 'a tree of a user id with a leading zero is denied',
    asked: asUser((id) => id.replace(/^0+(?=[0-9])/, '')),
  },
  {
    name: 'accepts a sign in a user id',
    caughtBy: 'a tree of a user id with a sign is denied',
    asked: asUser((id) => id.replace(/^\+/, '')),
  },
  {
    name: 'wraps user ids at 2^64',
    caughtBy: 'a tree of a user id above 2^64-1 is denied',
    asked: asUser(asDecimal((id) => BigInt.asUintN(64, id))),
  },
  {
    name: 'keeps user ids in 63 bits',
    caughtBy: 'the largest user id is a user like any other',
    asked: asUser(asDecimal((id) => BigInt.asUintN(63, id))),
  },
  {
    name: 'keeps user ids in JavaScript numbers',
    caughtBy: 'the largest user id is a user like any other',
    asked: asUser(asDecimal((id) => BigInt(Number(id)))),
  },
  {
    name: 'does not decode a user id',
    caughtBy: 'a user id may be written with escapes',
    asked: asUser((id) => (id.includes('%') ? 'x' : id)),
  },
  {
    name: 'compares a scope letter by letter',
    caughtBy: 'a scope covers whole names only',
    answered: (answer, asked, ask) =>
      byToken(fixtureTokens.scoped, asked.target) && partsOf(asked.target)?.path.startsWith('/photos') === true
        ? ask(asked.target.replace(fixtureTokens.scoped, fixtureTokens.owner))
        : answer,
  },
  {
    name: 'forgets the scope of a token',
    caughtBy: 'a tree outside the scope of the token is denied',
    asked: asToken((token) => (token === fixtureTokens.scoped ? fixtureTokens.owner : token)),
  },
  {
    name: 'opens the directory above a scope',
    caughtBy: 'a scope does not cover the directory above it',
    asked: reading(({ credential, path }) =>
      credential === fixtureTokens.scoped && (path === '/' || path === '') ? { credential: fixtureTokens.owner } : {},
    ),
  },
  {
    name: 'reads paths from the scope instead of the root',
    caughtBy: 'a token with a scope reads inside it, by paths from the root of the area',
    asked: reading(({ credential, path }) => (credential === fixtureTokens.scoped ? { path: `/photos${path}` } : {})),
  },
  {
    name: 'tells outside the scope what is missing',
    caughtBy: 'outside the scope a missing name is denied like an existing one',
    answered: async (answer, asked, ask) => {
      if (!isOwners(asked) || errorOf(answer) !== 'permission denied') return answer
      const unscoped = await ask(asked.target.replace(fixtureTokens.scoped, fixtureTokens.owner))
      return unscoped.status === 404 ? unscoped : answer
    },
  },
]
