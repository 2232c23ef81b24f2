import { ownerItems, ownerTree, visitorItems, visitorTree } from '../asks.js'
import { fails, type Scenario } from '../Scenario.js'
import { tokens, theWorld as world } from '../theWorld.js'

export const permissionDenied: ReadonlyArray<Scenario> = [
  {
    name: 'a tree outside the scope of the token is denied',
    world,
    ask: ownerTree(tokens.scoped, '/readme.txt'),
    answer: fails('permission denied'),
  },
  {
    name: 'a listing outside the scope of the token is denied',
    world,
    ask: ownerItems(tokens.scoped, '/private'),
    answer: fails('permission denied'),
  },
  {
    name: 'a scope covers whole names only',
    world,
    ask: ownerItems(tokens.scoped, '/photos2'),
    answer: fails('permission denied'),
  },
  {
    name: 'a scope does not cover the directory above it',
    world,
    ask: ownerTree(tokens.scoped, '/'),
    answer: fails('permission denied'),
  },
  {
    name: 'outside the scope a missing name is denied like an existing one',
    world,
    ask: ownerTree(tokens.scoped, '/nothing here'.replace(' ', '%20')),
    answer: fails('permission denied'),
  },
  ...(
    [
      ['an unknown user', '77'],
      ['an unverified user', '3'],
      ['a user whose area is private', '2'],
      ['a user id with a leading zero', '01'],
      ['a user id with a sign', '+1'],
      ['a negative user id', '-1'],
      ['a user id above 2^64-1', '18446744073709551616'],
      ['a user id that is a word', 'me'],
      ['a user id with a malformed escape', '%3'],
      ['a user id with an encoded slash behind it', '1%2F'],
    ] as const
  ).flatMap(
    ([what, credential]): ReadonlyArray<Scenario> => [
      { name: `a tree of ${what} is denied`, world, ask: visitorTree(credential), answer: fails('permission denied') },
      {
        name: `a listing of ${what} is denied`,
        world,
        ask: visitorItems(credential),
        answer: fails('permission denied'),
      },
      {
        name: `a missing name below ${what} is denied`,
        world,
        ask: visitorTree(credential, '/nothing'),
        answer: fails('permission denied'),
      },
    ],
  ),
  {
    name: 'a visitor is denied a tree of a private directory',
    world,
    ask: visitorTree('1', '/private'),
    answer: fails('permission denied'),
  },
  {
    name: 'a visitor is denied a listing of a private directory',
    world,
    ask: visitorItems('1', '/private'),
    answer: fails('permission denied'),
  },
  {
    name: 'below a private directory an existing file is denied',
    world,
    ask: visitorTree('1', '/private/diary.txt'),
    answer: fails('permission denied'),
  },
  {
    name: 'below a private directory a missing name is denied alike',
    world,
    ask: visitorTree('1', '/private/nothing'),
    answer: fails('permission denied'),
  },
  {
    name: 'below a private file a path is denied without looking',
    world,
    ask: visitorTree('1', '/private/diary.txt/below'),
    answer: fails('permission denied'),
  },
]
