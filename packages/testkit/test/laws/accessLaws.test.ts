import { Area, Failure, StoragePath, U64, type UserId } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe } from 'vitest'
import { accessLaws } from '../../src/laws/accessLaws.js'
import type { RegistryPorts, WorldAccount, WorldToken } from '../../src/World.js'
import { type Break, lawsCatch } from './brokenRegistries.js'

const accounts = (change: (account: WorldAccount) => WorldAccount): Break => ({
  world: (world) => ({ ...world, accounts: world.accounts.map(change) }),
})

const tokens = (change: (token: WorldToken) => ReadonlyArray<WorldToken>): Break =>
  accounts((account) => ({ ...account, tokens: account.tokens.flatMap(change) }))

const grants = (change: (grant: Area.Grant) => Area.Grant): Break => ({
  ports: (ports) => ({ ...ports, areaOfToken: (token) => pipe(ports.areaOfToken(token), TE.map(change)) }),
})

const areas = (change: (area: Area.Area) => Area.Area): Break => ({
  ports: (ports) => ({ ...ports, areaOfUser: (user) => pipe(ports.areaOfUser(user), TE.map(change)) }),
})

const asking = (change: (user: UserId.UserId) => bigint): Break => ({
  ports: (ports) => ({ ...ports, areaOfUser: (user) => ports.areaOfUser(U64.clamp(change(user)) as UserId.UserId) }),
})

const rounded = (area: Area.Area): Area.Area => ({
  ...area,
  owner: U64.clamp(BigInt(Number(area.owner))) as UserId.UserId,
})

const elsewhere = (area: Area.Area): Area.Area => ({ ...area, location: Area.location('elsewhere') })

const stateless = tokens((token) => [{ ...token, state: 'valid' }])

const spentByUse: Break = {
  ports: (ports): RegistryPorts => {
    const used = new Set<string>()
    return {
      ...ports,
      areaOfToken: (token) => {
        const again = used.has(token)
        used.add(token)
        return again ? TE.left(Failure.invalidToken) : ports.areaOfToken(token)
      },
    }
  },
}

const caseBlind: Break = {
  ports: (ports, world) => ({
    ...ports,
    areaOfToken: (asked) => {
      const known = world.accounts.flatMap((account) => account.tokens)
      const found = known.find(({ token }) => token.toLowerCase() === asked.toLowerCase())
      return ports.areaOfToken((found?.token ?? asked) as typeof asked)
    },
  }),
}

describe('accessLaws', () => {
  lawsCatch(accessLaws, {
    'a valid token opens the area of its account': {
      'holds ids as numbers': grants((grant) => ({ ...grant, area: rounded(grant.area) })),
      'knows no tokens': tokens(() => []),
    },
    'a token opens its area from its scope downwards': {
      'ignores scopes': grants((grant) => ({ ...grant, scope: StoragePath.root })),
      'normalises scopes': grants((grant) => ({
        ...grant,
        scope: grant.scope.normalize() as StoragePath.StoragePath,
      })),
    },
    'an account has as many tokens as were issued': {
      'knows the last token only': accounts((account) => ({ ...account, tokens: account.tokens.slice(-1) })),
    },
    'unknown, expired and revoked tokens are `invalid token`': {
      'ignores expiry': tokens((token) => [token.state === 'expired' ? { ...token, state: 'valid' } : token]),
      'ignores revocation': tokens((token) => [token.state === 'revoked' ? { ...token, state: 'valid' } : token]),
    },
    'tokens compare to the letter': { 'folds their case': caseBlind },
    'a valid token of an account that is not verified is `not verified`': {
      'verifies everybody': accounts((account) => ({ ...account, verified: true })),
    },
    'an expired or revoked token is `invalid token`, also of an account that is not verified': {
      'looks at the account first': stateless,
    },
    'the id of a verified account leads to its area, whichever u64 it is': {
      'holds ids as numbers': areas(rounded),
    },
    'an unknown and an unverified account are `permission denied`': {
      'verifies everybody': accounts((account) => ({ ...account, verified: true })),
      'says which of them it is': {
        ports: (ports) => ({
          ...ports,
          areaOfUser: (user) =>
            pipe(
              ports.areaOfUser(user),
              TE.mapLeft(() => Failure.external('no such account')),
            ),
        }),
      },
    },
    'ids compare as numbers, over the whole of u64': {
      'asks in 53 bits': asking((user) => BigInt(Number(user))),
    },
    'a token opens the same area that its user has': {
      'has two places for an area': grants((grant) => ({ ...grant, area: elsewhere(grant.area) })),
    },
    'every account has an area of its own': { 'has one place for all': areas(elsewhere) },
    'what is asked at once is answered as one after the other': {
      'answers the one who asked last': {
        ports: (ports) => {
          const last: { token?: Parameters<typeof ports.areaOfToken>[0] } = {}
          return {
            ...ports,
            areaOfToken: (token) => async () => {
              last.token = token
              await Promise.resolve()
              return ports.areaOfToken(last.token)()
            },
          }
        },
      },
    },
    'asking changes nothing': {
      'takes a token once': spentByUse,
      throws: {
        ports: (ports) => ({ ...ports, areaOfToken: () => () => Promise.reject(new Error('thrown')) }),
      },
    },
  })
})
