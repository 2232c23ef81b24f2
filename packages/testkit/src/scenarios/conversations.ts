import { headerOf, type RawRequest, type RawResponse } from '../backends/rawHttp.js'
import { type Ask, byToken, byUser, type Conversation, linesHeaders, peek, target } from './Scenario.js'
import { everyOperation, owner, scoped, tokens, triggers, visitor, theWorld as world } from './theWorld.js'

type Look = Conversation['violations']

const get = (target: string) => ({ method: 'GET', target })

const unless = (holds: boolean, violation: string): ReadonlyArray<string> => (holds ? [] : [violation])

/** In lower case. */
const namesOf = (...responses: ReadonlyArray<RawResponse>): ReadonlyArray<string> => [
  ...new Set(responses.flatMap(({ headers }) => headers.map(([name]) => name.toLowerCase()))),
]

/** Ignores differences between two answers to the same request, such as the request id. */
const steady = (one: RawResponse, again: RawResponse): ((name: string) => boolean) => {
  const restless = new Set(namesOf(one, again).filter((name) => headerOf(one, name) !== headerOf(again, name)))
  return (name) => name !== 'date' && !restless.has(name)
}

/** Returns the differences in status and these headers. */
const differences = (expected: RawResponse, got: RawResponse, names: ReadonlyArray<string>): ReadonlyArray<string> => [
  ...unless(got.status === expected.status, `the status is ${got.status}, not ${expected.status}`),
  ...names.flatMap((name) => {
    const [is, wanted] = [headerOf(got, name) ?? '(absent)', headerOf(expected, name) ?? '(absent)']
    return unless(is === wanted, `${name} is ${is}, not ${wanted}`)
  }),
]

/** Requires the status, headers and bytes of the first target for all of them. */
const alike =
  ([first = '', ...others]: ReadonlyArray<string>): Look =>
  async (send) => {
    const expected = await send(get(first))
    const isSteady = steady(expected, await send(get(first)))
    const violations: Array<string> = []
    for (const other of others) {
      const got = await send(get(other))
      const found = [
        ...differences(expected, got, namesOf(expected, got).filter(isSteady)),
        ...unless(
          got.body.equals(expected.body),
          `the body is ${got.body.toString()}, not ${expected.body.toString()}`,
        ),
      ]
      violations.push(...found.map((what) => `GET ${other} is answered otherwise than GET ${first}: ${what}`))
    }
    return violations
  }

/** Requires HEAD to have the head of GET, and no body. */
const headLikeGet =
  (target: string): Look =>
  async (send) => {
    const expected = await send(get(target))
    const isSteady = steady(expected, await send(get(target)))
    const head = await send({ method: 'HEAD', target })
    return [
      ...differences(expected, head, namesOf(expected).filter(isSteady)),
      ...unless(head.complete && head.body.length === 0, 'HEAD is answered with a body'),
    ]
  }

/** Requires both representations of a tree to name `Accept` in `Vary`, and to have tags of their own. */
const representationsDiffer: Look = async (send) => {
  const tree = target(visitor.tree('/photos'))
  const answers = [await send(get(tree)), await send({ ...get(tree), headers: linesHeaders })]
  const vary = answers.map((answer) => (headerOf(answer, 'Vary') ?? '').toLowerCase().split(/\s*,\s*/))
  return [
    ...unless(
      vary.every((names) => names.includes('accept')),
      'Vary does not name Accept',
    ),
    ...unless(new Set(answers.map((answer) => headerOf(answer, 'ETag'))).size === 2, 'both have the same ETag'),
  ]
}

/** Requires an entity tag, and 304 for a request with that tag. */
const revalidated =
  (target: string): Look =>
  async (send) => {
    const tag = headerOf(await send(get(target)), 'ETag')
    if (tag === undefined) return ['there is no ETag']
    const knowing = (value: string): RawRequest => ({
      ...get(target),
      headers: [
        ['Host', 'localhost'],
        ['If-None-Match', value],
      ],
    })
    const same = await send(knowing(tag))
    const other = await send(knowing('"another"'))
    return [
      ...unless(same.status === 304, `If-None-Match: ${tag} is answered by ${same.status}, not 304`),
      ...unless(same.body.length === 0, 'the 304 has a body'),
      ...unless(headerOf(same, 'ETag') === tag, `the 304 has the ETag ${headerOf(same, 'ETag')}, not ${tag}`),
      ...unless(other.status === 200, `If-None-Match: "another" is answered by ${other.status}, not 200`),
    ]
  }

/** Requires different entity tags of different answers. */
const tagsDiffer =
  (one: string, other: string): Look =>
  async (send) => {
    const tag = headerOf(await send(get(one)), 'ETag')
    return unless(
      headerOf(await send(get(other)), 'ETag') !== tag,
      `GET ${other} has the ETag ${tag}, as GET ${one} has`,
    )
  }

const namesIn = ({ body }: RawResponse): ReadonlyArray<string> =>
  (JSON.parse(body.toString()) as { readonly content: ReadonlyArray<{ readonly name: string }> }).content.map(
    ({ name }) => name,
  )

/** Returns the query of the link to the next page. */
const nextOf = (response: RawResponse): string | undefined =>
  /^<[^>]*(\?[^>]*)>.*\bnext\b/.exec(headerOf(response, 'Link') ?? '')?.[1]

/** Requires the linked pages to join to the whole listing, in its order. */
const pagesAreWhole =
  (target: string, limit: number): Look =>
  async (send) => {
    const whole = namesIn(await send(get(target)))
    const pages = Math.ceil(whole.length / limit)
    const names: Array<string> = []
    let query: string | undefined = `?limit=${limit}`
    for (let page = 1; query !== undefined && page <= pages; page += 1) {
      const response: RawResponse = await send(get(`${target}${query}`))
      const found = namesIn(response)
      if (found.length > limit) return [`page ${page} has ${found.length} items, not ${limit} at most`]
      names.push(...found)
      query = nextOf(response)
    }
    const [got, wanted] = [JSON.stringify(names), JSON.stringify(whole)]
    return [
      ...unless(query === undefined, `page ${pages}, the last, links to a next one`),
      ...unless(got === wanted, `the pages hold ${got}, the listing ${wanted}`),
    ]
  }

const conversation = (name: string, violations: Look): Conversation => ({ name, world, violations })

const answeredAlike = (rows: ReadonlyArray<readonly [name: string, asks: ReadonlyArray<Ask>]>) =>
  rows.map(([name, asks]) => conversation(name, alike(asks.map(target))))

const strangeTokens = [tokens.unknown, 'cnp_x', '%zz', tokens.expired, tokens.revoked]

/** Sentences about several answers, compared in raw bytes. */
export const conversations: ReadonlyArray<Conversation> = [
  ...answeredAlike([
    [
      'unknown, malformed, expired and revoked tokens are answered alike by a tree',
      strangeTokens.map((token) => byToken(token).tree('/photos')),
    ],
    [
      'unknown, malformed, expired and revoked tokens are answered alike by a listing',
      strangeTokens.map((token) => byToken(token).items('/photos')),
    ],
    [
      'unknown, unverified, private and malformed users are answered alike',
      ['77', '3', '2', '01', 'me', '%zz'].map((user) => byUser(user).tree()),
    ],
    [
      'existing and missing names below a private directory are answered alike',
      ['', '/', '/diary.txt', '/nothing', '/diary.txt/below', '/whispered2'].map((path) =>
        visitor.items(`/private${path}`),
      ),
    ],
    [
      'existing and missing names outside the scope of a token are answered alike',
      ['/readme.txt', '/nothing', '/photos2', '/readme.txt/below', ''].map((path) => scoped.tree(path)),
    ],
    [
      'unknown, malformed, expired and deleted triggers are answered alike',
      ['unknown', '%ff', triggers.expired, triggers.deleted, '..'].map(peek),
    ],
    [
      'a trigger that was peeked at is answered alike again: peeking does not fire it',
      Array.from({ length: 4 }, () => peek(triggers.doorbell)),
    ],
  ]),
  ...[...everyOperation, ['missing file', owner.tree('/nothing')] as const].map(([what, ask]) =>
    conversation(`HEAD of a ${what} has the status and headers of its GET, and no body`, headLikeGet(target(ask))),
  ),
  ...everyOperation
    .filter(([, { operation }]) => operation !== 'triggerPeek')
    .map(([what, ask]) =>
      conversation(`a ${what} that is still the same is 304 to anyone who names its ETag`, revalidated(target(ask))),
    ),
  conversation(
    'answers that differ have entity tags that differ',
    tagsDiffer(target(visitor.items('/photos')), target(visitor.items('/photos2'))),
  ),
  conversation('a tree and its lines vary by Accept, with entity tags that differ', representationsDiffer),
  conversation('the pages that a visitor follows are the whole listing', pagesAreWhole(target(visitor.items()), 2)),
  conversation(
    'the pages that the owner follows are the whole listing, whatever the names',
    pagesAreWhole(target(owner.items('/odd')), 1),
  ),
]
