import { ownerTree, visitorItems, visitorTree } from '../asks.js'
import { fails, type Scenario } from '../Scenario.js'
import { tokens, theWorld as world } from '../theWorld.js'

export const orderOfChecks: ReadonlyArray<Scenario> = [
  {
    name: 'the token is checked before the path',
    world,
    ask: ownerTree(tokens.unknown, '/a//b'),
    answer: fails('invalid token'),
  },
  {
    name: 'the account is checked before the path',
    world,
    ask: ownerTree(tokens.unverified, '/%zz'),
    answer: fails('not verified'),
  },
  {
    name: 'the path is checked before the scope',
    world,
    ask: ownerTree(tokens.scoped, '/%zz'),
    answer: fails('file not found'),
  },
  {
    name: 'the scope is checked before the storage',
    world,
    ask: ownerTree(tokens.scoped, '/readme.txt/below'),
    answer: fails('permission denied'),
  },
  {
    name: 'for a visitor the path is checked before the account',
    world,
    ask: visitorTree('77', '/a//b'),
    answer: fails('file not found'),
  },
  {
    name: 'for a visitor the visibility is checked before the storage',
    world,
    ask: visitorItems('1', '/private/diary.txt'),
    answer: fails('permission denied'),
  },
]
