import { ownerItems, ownerTree } from '../asks.js'
import { fails, type Scenario } from '../Scenario.js'
import { tokens, theWorld as world } from '../theWorld.js'

export const invalidToken: ReadonlyArray<Scenario> = (
  [
    ['an unknown token', tokens.unknown],
    ['an expired token', tokens.expired],
    ['a revoked token', tokens.revoked],
    ['a token of the wrong form', 'cnp_short'],
    ['a token with a malformed escape', '%zz'],
    ['a token in another case', tokens.owner.toUpperCase()],
    ['a user id in place of a token', '1'],
    ['a token with an encoded slash behind it', `${tokens.owner}%2F`],
  ] as const
).flatMap(
  ([what, credential]): ReadonlyArray<Scenario> => [
    {
      name: `a tree by ${what} is an invalid token`,
      world,
      ask: ownerTree(credential, '/photos'),
      answer: fails('invalid token'),
    },
    {
      name: `a listing by ${what} is an invalid token`,
      world,
      ask: ownerItems(credential, '/photos'),
      answer: fails('invalid token'),
    },
  ],
)
