import { type Ask, target } from '../Ask.js'
import { headerOf, type RawResponse } from '../doors/rawHttp.js'
import { alike } from './alike.js'
import { ownerItems, ownerTree, peek, visitorItems, visitorTree } from './asks.js'
import type { Conversation, Send } from './Conversation.js'
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

const get = (requestTarget: string) => ({ method: 'GET', target: requestTarget })

// HEAD

const headViolations = (head: RawResponse, got: RawResponse): ReadonlyArray<string> => [
  ...(head.status === got.status ? [] : [`the status is ${head.status}, that of GET ${got.status}`]),
  ...(head.complete && head.body.length === 0 ? [] : ['HEAD is answered with a body']),
  ...got.headers
    .filter(([name, value]) => name.toLowerCase() !== 'date' && headerOf(head, name) !== value)
    .map(([name, value]) => `${name} is ${headerOf(head, name) ?? '(absent)'}, that of GET ${value}`),
]

const ofHead = [...everyOperation, ['missing file', ownerTree(tokens.owner, '/nothing')] as const].map(
  ([what, ask]): Conversation => ({
    name: `HEAD of a ${what} has the status and headers of its GET, and no body`,
    world,
    violations: async (send) =>
      headViolations(await send({ method: 'HEAD', target: target(ask) }), await send(get(target(ask)))),
  }),
)

// Entity tags

const revalidated = async (send: Send, ask: Ask): Promise<ReadonlyArray<string>> => {
  const tag = headerOf(await send(get(target(ask))), 'ETag')
  if (tag === undefined) return ['there is no ETag']
  const asked = (value: string) =>
    send({
      ...get(target(ask)),
      headers: [
        ['Host', 'localhost'],
        ['If-None-Match', value],
      ],
    })
  const same = await asked(tag)
  const other = await asked('"another"')
  return [
    ...(same.status === 304 ? [] : [`If-None-Match: ${tag} is answered by ${same.status}, not 304`]),
    ...(same.body.length === 0 ? [] : ['the 304 has a body']),
    ...(headerOf(same, 'ETag') === tag ? [] : [`the 304 has the ETag ${headerOf(same, 'ETag')}, not ${tag}`]),
    ...(other.status === 200 ? [] : [`If-None-Match: "another" is answered by ${other.status}, not 200`]),
  ]
}

const ofTags = everyOperation
  .filter(([, { operation }]) => operation !== 'triggerPeek')
  .map(
    ([what, ask]): Conversation => ({
      name: `a ${what} that is still the same is 304 to whoever names its ETag`,
      world,
      violations: (send) => revalidated(send, ask),
    }),
  )

// Pages

const namesIn = ({ body }: RawResponse): ReadonlyArray<string> =>
  (JSON.parse(body.toString()) as { readonly content: ReadonlyArray<{ readonly name: string }> }).content.map(
    ({ name }) => name,
  )

/** The query of the link to the next page. */
const nextOf = (response: RawResponse): string | undefined =>
  /^<[^>]*(\?[^>]*)>.*\bnext\b/.exec(headerOf(response, 'Link') ?? '')?.[1]

const paged = async (send: Send, ask: Ask, limit: number): Promise<ReadonlyArray<string>> => {
  const whole = namesIn(await send(get(target(ask))))
  const names: Array<string> = []
  const pages = Math.ceil(whole.length / limit)
  let query: string | undefined = `?limit=${limit}`
  for (let page = 1; query !== undefined && page <= pages; page += 1) {
    const response = await send(get(`${target(ask)}${query}`))
    const found = namesIn(response)
    if (found.length > limit) return [`page ${page} has ${found.length} items, not ${limit} at most`]
    names.push(...found)
    query = nextOf(response)
  }
  return [
    ...(query === undefined ? [] : [`page ${pages}, the last, links to a next one`]),
    ...(JSON.stringify(names) === JSON.stringify(whole)
      ? []
      : [`the pages hold ${JSON.stringify(names)}, the listing ${JSON.stringify(whole)}`]),
  ]
}

const ofPages: ReadonlyArray<Conversation> = [
  {
    name: 'the pages that a visitor follows are the whole listing',
    world,
    violations: (send) => paged(send, visitorItems('1'), 2),
  },
  {
    name: 'the pages that the owner follows are the whole listing, whatever the names',
    world,
    violations: (send) => paged(send, ownerItems(tokens.owner, '/odd'), 1),
  },
]

const ofPeeking: Conversation = {
  name: 'a trigger that was peeked at is answered alike again: peeking does not fire it',
  world,
  violations: alike(Array.from({ length: 4 }, () => target(peek(triggers.doorbell)))),
}

/** What the decisions say of several answers together (7, 8, 24, 26, 28 and 29), asked in raw bytes. */
export const conversations: ReadonlyArray<Conversation> = [...ofRefusals, ...ofHead, ...ofTags, ...ofPages, ofPeeking]
