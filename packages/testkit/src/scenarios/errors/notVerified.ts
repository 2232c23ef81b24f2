import { ownerItems, ownerTree } from '../asks.js'
import { fails, type Scenario } from '../Scenario.js'
import { tokens, theWorld as world } from '../theWorld.js'

export const notVerified: ReadonlyArray<Scenario> = [
  {
    name: 'a tree by a valid token of an unverified account is not verified',
    world,
    ask: ownerTree(tokens.unverified),
    answer: fails('not verified'),
  },
  {
    name: 'a listing by a valid token of an unverified account is not verified',
    world,
    ask: ownerItems(tokens.unverified),
    answer: fails('not verified'),
  },
]
