import { peek } from '../asks.js'
import { fails, type Scenario } from '../Scenario.js'
import { triggers, theWorld as world } from '../theWorld.js'

export const triggerNotFound: ReadonlyArray<Scenario> = [
  { name: 'an unknown trigger is not found', world, ask: peek('nobody'), answer: fails('trigger not found') },
  { name: 'an expired trigger is not found', world, ask: peek(triggers.expired), answer: fails('trigger not found') },
  { name: 'a deleted trigger is not found', world, ask: peek(triggers.deleted), answer: fails('trigger not found') },
  { name: 'a malformed trigger id is not found', world, ask: peek('%ff'), answer: fails('trigger not found') },
  {
    name: 'a trigger id with an encoded slash is not found',
    world,
    ask: peek('doorbell%2F'),
    answer: fails('trigger not found'),
  },
]
