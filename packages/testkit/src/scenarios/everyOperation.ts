import type { Ask } from '../Ask.js'
import { ownerItems, ownerTree, peek, visitorItems, visitorTree } from './asks.js'
import { tokens, triggers } from './theWorld.js'

/** A successful question of each operation, in the order of the interface. */
export const everyOperation: ReadonlyArray<readonly [what: string, ask: Ask]> = [
  ['storage tree', ownerTree(tokens.owner, '/photos')],
  ['user content tree', visitorTree('1', '/photos')],
  ['storage listing', ownerItems(tokens.owner, '/photos')],
  ['user content listing', visitorItems('1', '/photos')],
  ['trigger peek', peek(triggers.doorbell)],
]
