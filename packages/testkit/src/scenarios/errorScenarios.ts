import { ownerItems, ownerTree, peek, visitorItems, visitorTree } from './asks.js'
import { fails, type Scenario } from './Scenario.js'
import { tokens, triggers, theWorld as world } from './theWorld.js'

/** Every cell of the error table of the interface, part 7, and the order in which errors are decided. */
export const errorScenarios: ReadonlyArray<Scenario> = [
  // invalid token
  ...(
    [
      ['an unknown token', tokens.unknown],
      ['an expired token', tokens.expired],
      ['a revoked token', tokens.revoked],
      ['a token of the wrong form', 'cnp_short'],
      ['a token with a malformed escape', '%zz'],
      ['a token in another case', tokens.owner.toUpperCase()],
      ['a user id in place of a token', '1'],
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
  ),
  // not verified
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
  // permission denied
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
  // file not found
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
  // type mismatch
  {
    name: 'a listing of a file is a type mismatch',
    world,
    ask: ownerItems(tokens.owner, '/readme.txt'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a listing of a visible file by a visitor is a type mismatch',
    world,
    ask: visitorItems('1', '/readme.txt'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a tree of a file with a trailing slash is a type mismatch',
    world,
    ask: ownerTree(tokens.owner, '/readme.txt/'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a visitor asking for a file with a trailing slash gets a type mismatch',
    world,
    ask: visitorTree('1', '/readme.txt/'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a path that runs through a file is a type mismatch',
    world,
    ask: ownerTree(tokens.owner, '/readme.txt/below'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a listing of a path that runs through a file is a type mismatch',
    world,
    ask: ownerItems(tokens.owner, '/readme.txt/below/further'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a visitor whose path runs through a file gets a type mismatch',
    world,
    ask: visitorTree('1', '/readme.txt/below'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a visitor is not told of a file that they may not reach, not even by a type mismatch',
    world,
    ask: visitorTree('1', '/private/diary.txt/page'),
    answer: fails('file not found'),
  },
  {
    name: 'below a file that a visitor may not reach it is as if nothing were there',
    world,
    ask: visitorTree('1', '/private/nothing/page'),
    answer: fails('file not found'),
  },
  {
    name: 'a visitor listing below a file that they may not reach is not told of it either',
    world,
    ask: visitorItems('1', '/private/diary.txt/page'),
    answer: fails('file not found'),
  },
  {
    name: 'the owner is told of a file in the way, also of a private one',
    world,
    ask: ownerTree(tokens.owner, '/private/diary.txt/page'),
    answer: fails('type mismatch'),
  },
  // external
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
  // trigger not found
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
  // the order of checks
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
