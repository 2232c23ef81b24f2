import { ownerItems, ownerTree, visitorItems, visitorTree } from '../asks.js'
import { fails, type Scenario } from '../Scenario.js'
import { tokens, theWorld as world } from '../theWorld.js'

export const fileNotFound: ReadonlyArray<Scenario> = [
  {
    name: 'a setting covers whole names only',
    world,
    ask: visitorTree('1', '/private2'),
    answer: fails('file not found'),
  },
  {
    name: 'a tree of a missing name is not found',
    world,
    ask: ownerTree(tokens.owner, '/nothing'),
    answer: fails('file not found'),
  },
  {
    name: 'a listing of a missing name is not found',
    world,
    ask: ownerItems(tokens.owner, '/nothing'),
    answer: fails('file not found'),
  },
  {
    name: 'a visitor asking for a missing name in a public directory gets not found',
    world,
    ask: visitorTree('1', '/nothing'),
    answer: fails('file not found'),
  },
  {
    name: 'a visitor listing a missing name in a public directory gets not found',
    world,
    ask: visitorItems('1', '/nothing'),
    answer: fails('file not found'),
  },
  {
    name: 'a setting on a missing path makes no node',
    world,
    ask: visitorTree('1', '/not%20yet'),
    answer: fails('file not found'),
  },
  {
    name: 'below a missing name nothing is found',
    world,
    ask: ownerTree(tokens.owner, '/nothing/below'),
    answer: fails('file not found'),
  },
]
