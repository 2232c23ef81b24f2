import { type Ask, target } from '../Ask.js'
import { ownerItems, ownerTree, peek, visitorItems, visitorTree } from './asks.js'
import type { Conversation } from './Conversation.js'
import { alike } from './conversations/alike.js'
import { headLikeGet } from './conversations/headLikeGet.js'
import { pagesAreWhole } from './conversations/pagesAreWhole.js'
import { revalidated } from './conversations/revalidated.js'
import { tagsTellApart } from './conversations/tagsTellApart.js'
import { everyOperation } from './everyOperation.js'
import { tokens, triggers, theWorld as world } from './theWorld.js'

const refusals: ReadonlyArray<readonly [string, ReadonlyArray<Ask>]> = [
  [
    'unknown, malformed, expired and revoked tokens are answered alike by a tree',
    [tokens.unknown, 'cnp_x', '%zz', tokens.expired, tokens.revoked].map((token) => ownerTree(token, '/photos')),
  ],
  [
    'unknown, malformed, expired and revoked tokens are answered alike by a listing',
    [tokens.unknown, 'cnp_x', '%zz', tokens.expired, tokens.revoked].map((token) => ownerItems(token, '/photos')),
  ],
  [
    'unknown, unverified, private and malformed users are answered alike',
    ['77', '3', '2', '01', 'me', '%zz'].map((user) => visitorTree(user)),
  ],
  [
    'existing and missing names below a private directory are answered alike',
    ['', '/', '/diary.txt', '/nothing', '/diary.txt/below', '/whispered2'].map((path) =>
      visitorItems('1', `/private${path}`),
    ),
  ],
  [
    'existing and missing names outside the scope of a token are answered alike',
    ['/readme.txt', '/nothing', '/photos2', '/readme.txt/below', ''].map((path) => ownerTree(tokens.scoped, path)),
  ],
  [
    'unknown, malformed, expired and deleted triggers are answered alike',
    ['nobody', '%ff', triggers.expired, triggers.deleted, '..'].map((id) => peek(id)),
  ],
]

const ofRefusals = refusals.map(
  ([name, asks]): Conversation => ({ name, world, violations: alike(asks.map((ask) => target(ask))) }),
)

const ofHead = [...everyOperation, ['missing file', ownerTree(tokens.owner, '/nothing')] as const].map(
  ([what, ask]): Conversation => ({
    name: `HEAD of a ${what} has the status and headers of its GET, and no body`,
    world,
    violations: headLikeGet(target(ask)),
  }),
)

const ofTags = everyOperation
  .filter(([, { operation }]) => operation !== 'triggerPeek')
  .map(
    ([what, ask]): Conversation => ({
      name: `a ${what} that is still the same is 304 to whoever names its ETag`,
      world,
      violations: revalidated(target(ask)),
    }),
  )

const ofDifferentTags: Conversation = {
  name: 'answers that differ have entity tags that differ',
  world,
  violations: tagsTellApart([visitorItems('1', '/photos'), visitorItems('1', '/photos2')].map((ask) => target(ask))),
}

const ofPages: ReadonlyArray<Conversation> = [
  {
    name: 'the pages that a visitor follows are the whole listing',
    world,
    violations: pagesAreWhole(target(visitorItems('1')), 2),
  },
  {
    name: 'the pages that the owner follows are the whole listing, whatever the names',
    world,
    violations: pagesAreWhole(target(ownerItems(tokens.owner, '/odd')), 1),
  },
]

const ofPeeking: Conversation = {
  name: 'a trigger that was peeked at is answered alike again: peeking does not fire it',
  world,
  violations: alike(Array.from({ length: 4 }, () => target(peek(triggers.doorbell)))),
}

/** What the decisions say of several answers together (7, 8, 24, 26, 28 and 29), asked in raw bytes. */
export const conversations: ReadonlyArray<Conversation> = [
  ...ofRefusals,
  ...ofHead,
  ...ofTags,
  ofDifferentTags,
  ...ofPages,
  ofPeeking,
]
