import { headerOf, type RawResponse } from '../backends/rawHttp.js'
import { type Ask, byToken, byUser, type Conversation, peek, target } from './Scenario.js'
import { everyOperation, owner, scoped, tokens, triggers, visitor, theWorld as world } from './theWorld.js'

/** In lower case. */
const namesOf = (responses: ReadonlyArray<RawResponse>): ReadonlyArray<string> => [
  ...new Set(responses.flatMap(({ headers }) => headers.map(([name]) => name.toLowerCase()))),
]

/** What differs when the same is asked twice, such as the number of a request, means nothing. */
const steadyHeaders = (one: RawResponse, again: RawResponse): ((name: string) => boolean) => {
  const restless = new Set(namesOf([one, again]).filter((name) => headerOf(one, name) !== headerOf(again, name)))
  return (name) => name !== 'date' && !restless.has(name)
}

const get = (target: string) => ({ method: 'GET', target })

const headersOf = (response: RawResponse, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.map((name) => `${name}: ${headerOf(response, name) ?? '(absent)'}`)

/** Whether these targets are answered by the same status, headers and bytes: every difference from the first answer. */
const alike =
  (targets: ReadonlyArray<string>): Conversation['violations'] =>
  async (send) => {
    const [first = '', ...others] = targets
    const expected = await send(get(first))
    const isSteady = steadyHeaders(expected, await send(get(first)))
    const violations: Array<string> = []
    for (const other of others) {
      const got = await send(get(other))
      const names = namesOf([expected, got]).filter(isSteady)
      const shown = (response: RawResponse): string =>
        [`${response.status}`, ...headersOf(response, names), response.body.toString()].join(' | ')
      if (shown(got) !== shown(expected))
        violations.push(`GET ${other} is answered by ${shown(got)}, but GET ${first} by ${shown(expected)}`)
    }
    return violations
  }

const differences = (
  head: RawResponse,
  got: RawResponse,
  isSteady: (name: string) => boolean,
): ReadonlyArray<string> => [
  ...(head.status === got.status ? [] : [`the status is ${head.status}, that of GET ${got.status}`]),
  ...(head.complete && head.body.length === 0 ? [] : ['HEAD is answered with a body']),
  ...namesOf([got])
    .filter((name) => isSteady(name) && headerOf(head, name) !== headerOf(got, name))
    .map((name) => `${name} is ${headerOf(head, name) ?? '(absent)'}, that of GET ${headerOf(got, name)}`),
]

/** Whether HEAD is answered as GET is, without the body. */
const headLikeGet =
  (target: string): Conversation['violations'] =>
  async (send) => {
    const get = () => send({ method: 'GET', target })
    const got = await get()
    return differences(await send({ method: 'HEAD', target }), got, steadyHeaders(got, await get()))
  }

/** Whether an answer has an entity tag, by which a client learns that it has the answer already. */
const revalidated =
  (target: string): Conversation['violations'] =>
  async (send) => {
    const tag = headerOf(await send({ method: 'GET', target }), 'ETag')
    if (tag === undefined) return ['there is no ETag']
    const knowing = (value: string) =>
      send({
        method: 'GET',
        target,
        headers: [
          ['Host', 'localhost'],
          ['If-None-Match', value],
        ],
      })
    const same = await knowing(tag)
    const other = await knowing('"another"')
    return [
      ...(same.status === 304 ? [] : [`If-None-Match: ${tag} is answered by ${same.status}, not 304`]),
      ...(same.body.length === 0 ? [] : ['the 304 has a body']),
      ...(headerOf(same, 'ETag') === tag ? [] : [`the 304 has the ETag ${headerOf(same, 'ETag')}, not ${tag}`]),
      ...(other.status === 200 ? [] : [`If-None-Match: "another" is answered by ${other.status}, not 200`]),
    ]
  }

/** Whether no two of these targets, whose answers differ, have the same entity tag. */
const tagsDiffer =
  (targets: ReadonlyArray<string>): Conversation['violations'] =>
  async (send) => {
    const taken = new Map<string | undefined, string>()
    const violations: Array<string> = []
    for (const target of targets) {
      const tag = headerOf(await send({ method: 'GET', target }), 'ETag')
      const other = taken.get(tag)
      if (other !== undefined) violations.push(`GET ${target} has the ETag ${tag}, as GET ${other} has`)
      taken.set(tag, target)
    }
    return violations
  }

const namesIn = ({ body }: RawResponse): ReadonlyArray<string> =>
  (JSON.parse(body.toString()) as { readonly content: ReadonlyArray<{ readonly name: string }> }).content.map(
    ({ name }) => name,
  )

/** The query of the link to the next page. */
const nextOf = (response: RawResponse): string | undefined =>
  /^<[^>]*(\?[^>]*)>.*\bnext\b/.exec(headerOf(response, 'Link') ?? '')?.[1]

/** Whether the pages that follow each other by their links are the whole listing, in its order. */
const pagesAreWhole =
  (target: string, limit: number): Conversation['violations'] =>
  async (send) => {
    const get = (query: string) => send({ method: 'GET', target: `${target}${query}` })
    const whole = namesIn(await get(''))
    const pages = Math.ceil(whole.length / limit)
    const names: Array<string> = []
    let query: string | undefined = `?limit=${limit}`
    for (let page = 1; query !== undefined && page <= pages; page += 1) {
      const response: RawResponse = await get(query)
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

const refusals: ReadonlyArray<readonly [string, ReadonlyArray<Ask>]> = [
  [
    'unknown, malformed, expired and revoked tokens are answered alike by a tree',
    [tokens.unknown, 'cnp_x', '%zz', tokens.expired, tokens.revoked].map((token) => byToken(token).tree('/photos')),
  ],
  [
    'unknown, malformed, expired and revoked tokens are answered alike by a listing',
    [tokens.unknown, 'cnp_x', '%zz', tokens.expired, tokens.revoked].map((token) => byToken(token).items('/photos')),
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
    ['unknown', '%ff', triggers.expired, triggers.deleted, '..'].map((id) => peek(id)),
  ],
]

const conversation = (name: string, violations: Conversation['violations']): Conversation => ({
  name,
  world,
  violations,
})

/** What several answers have to do with each other, asked in raw bytes. */
export const conversations: ReadonlyArray<Conversation> = [
  ...refusals.map(([name, asks]) => conversation(name, alike(asks.map((ask) => target(ask))))),
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
    tagsDiffer([visitor.items('/photos'), visitor.items('/photos2')].map((ask) => target(ask))),
  ),
  conversation('the pages that a visitor follows are the whole listing', pagesAreWhole(target(visitor.items()), 2)),
  conversation(
    'the pages that the owner follows are the whole listing, whatever the names',
    pagesAreWhole(target(owner.items('/odd')), 1),
  ),
  conversation(
    'a trigger that was peeked at is answered alike again: peeking does not fire it',
    alike(Array.from({ length: 4 }, () => target(peek(triggers.doorbell)))),
  ),
]
