import { ownerItems, ownerTree, peek, visitorItems, visitorTree } from '../asks.js'
import { fails, type Scenario } from '../Scenario.js'
import { tokens, triggers, theWorld as world } from '../theWorld.js'

export const external: ReadonlyArray<Scenario> = [
  {
    name: 'a tree of an area whose root is missing is external',
    world,
    ask: ownerTree(tokens.lostDisk),
    answer: fails('external'),
  },
  {
    name: 'a listing of an area whose root is missing is external',
    world,
    ask: ownerItems(tokens.lostDisk),
    answer: fails('external'),
  },
  {
    name: 'a name in an area whose root is missing is external, not missing',
    world,
    ask: ownerTree(tokens.lostDisk, '/a.txt'),
    answer: fails('external'),
  },
  {
    name: 'a visitor to an area whose root is missing gets external',
    world,
    ask: visitorTree('4'),
    answer: fails('external'),
  },
  {
    name: 'a visitor listing an area whose root is missing gets external',
    world,
    ask: visitorItems('4', '/a'),
    answer: fails('external'),
  },
  {
    name: 'a trigger whose stored value is broken is external',
    world,
    ask: peek(triggers.broken),
    answer: fails('external'),
  },
]
