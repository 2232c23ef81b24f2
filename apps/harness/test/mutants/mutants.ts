import { fixtureTokens, type Ports, type RawResponse, type World, type WorldAccount } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

/** A server with one fault. Each field spoils another part of it. */
export interface Mutant {
  readonly name: string
  /** A failing check. */
  readonly caughtBy: string
  readonly world?: (world: World) => World
  readonly ports?: (ports: Ports, world: World) => Ports
  readonly asked?: (asked: Asked) => Asked
  readonly answered?: Misanswering
}

type Misanswering = (answer: RawResponse, asked: Asked, ask: Ask) => RawResponse | Promise<RawResponse>

export interface Asked {
  readonly method: string
  readonly target: string
}

/** Sends another GET to the correct server. */
export type Ask = (target: string) => Promise<RawResponse>

type Parts = Readonly<Record<'route' | 'credential' | 'path' | 'query', string>>

const operation =
  /^(\/api\/storage\/v1\/(?:tree|diritems)\/|\/api\/usercontent\/v1\/(?:tree|diritems)\/id\/|\/api\/triggers\/v1\/peek\/)([^/?]+)([^?]*)(.*)$/

const changed = (target: string, change: (parts: Parts) => Partial<Parts>): string =>
  target.replace(operation, (_, ...[route, credential, path, query]: ReadonlyArray<string>) => {
    const parts = { route: route ?? '', credential: credential ?? '', path: path ?? '', query: query ?? '' }
    const to = { ...parts, ...change(parts) }
    return `${to.route}${to.credential}${to.path}${to.query}`
  })

const readingPath =
  (change: (path: string) => string) =>
  (asked: Asked): Asked => ({ ...asked, target: changed(asked.target, ({ path }) => ({ path: change(path) })) })

const isVisitors = ({ target }: Asked): boolean => target.startsWith('/api/usercontent/v1/')
const isOwners = ({ target }: Asked): boolean => target.startsWith('/api/storage/v1/')
const isPeek = ({ target }: Asked): boolean => target.startsWith('/api/triggers/v1/peek/')

/** The same request by the owner of the first account. */
const askedByOwner = (target: string): string =>
  changed(target, ({ route }) => ({
    route: route.replace('usercontent', 'storage').replace('id/', ''),
    credential: fixtureTokens.owner,
  }))

const withoutHeader = (answer: RawResponse, name: string): RawResponse => ({
  ...answer,
  headers: answer.headers.filter(([key]) => key.toLowerCase() !== name.toLowerCase()),
})

export const withHeader = (answer: RawResponse, name: string, value: string): RawResponse => ({
  ...answer,
  headers: [...withoutHeader(answer, name).headers, [name, value]],
})

export const withText = (answer: RawResponse, text: string): RawResponse => {
  const body = Buffer.from(text)
  return { ...withHeader(answer, 'Content-Length', `${body.length}`), body }
}

export const withStatus = (answer: RawResponse, status: number): RawResponse => ({ ...answer, status })

interface Shown {
  readonly type?: string
  readonly name: string
  readonly visibility: { readonly inherited: boolean; readonly visibility: string }
  readonly content?: ReadonlyArray<Shown>
}

/** Replaces a node or an item; an empty array removes it. */
type Change = (node: Shown) => ReadonlyArray<object>

const everyIn = (node: Shown, change: Change): ReadonlyArray<object> =>
  change(
    node.content === undefined
      ? node
      : { ...node, content: node.content.flatMap((child) => everyIn(child, change) as ReadonlyArray<Shown>) },
  )

/** Changes every node of a tree, from the leaves up, and every item of a listing. */
const everyNode =
  (change: Change): Misanswering =>
  (answer, asked) => {
    if (answer.status !== 200 || asked.method !== 'GET' || isPeek(asked)) return answer
    const { type, content } = JSON.parse(answer.body.toString())
    const [whole] = type === 'tree' ? everyIn(content, change) : [content.flatMap(change)]
    return withText(answer, JSON.stringify({ type, content: whole ?? content }))
  }

const accounts =
  (change: (account: WorldAccount) => WorldAccount) =>
  (world: World): World => ({ ...world, accounts: world.accounts.map(change) })

const strictness = { public: 0, hidden: 1, private: 2 }

const isShown = ({ visibility: { visibility, inherited } }: Shown): boolean =>
  visibility === 'public' || (visibility === 'hidden' && inherited)

/** Answers a refused request like one of the owner, if that is refused too. */
const asToOwner =
  (isMeant: (asked: Asked) => boolean, from: number, to: number): Misanswering =>
  async (answer, asked, ask) => {
    if (!isMeant(asked) || answer.status !== from) return answer
    const owners = await ask(askedByOwner(asked.target))
    return owners.status === to ? owners : answer
  }

/** Every second peek finds no trigger. */
const firing = (): Misanswering => {
  let isFired = true
  return (answer, asked) => {
    if (!isPeek(asked) || answer.status !== 200) return answer
    isFired = !isFired
    return isFired ? withText(withStatus(answer, 404), '{"type":"error","error":"trigger not found"}') : answer
  }
}

/** Together they fail every check. */
export const allRound: ReadonlyArray<Mutant> = [
  {
    name: 'answers everything alike, and without an entity tag',
    caughtBy: 'answers that differ have entity tags that differ',
    answered: (answer) => withoutHeader(withText(withStatus(answer, 200), '{}'), 'ETag'),
  },
  {
    name: 'repeats in every answer what was asked',
    caughtBy: 'existing and missing names below a private directory are answered alike',
    answered: (answer, { target }) => withHeader(answer, 'X-Asked', encodeURIComponent(target)),
  },
  {
    name: 'answers HEAD with a body',
    caughtBy: 'HEAD of a storage tree has the status and headers of its GET, and no body',
    answered: async (answer, { method, target }, ask) =>
      method === 'HEAD' ? { ...answer, body: (await ask(target)).body } : answer,
  },
  {
    name: 'fires a trigger by peeking at it',
    caughtBy: 'a trigger that was peeked at is answered alike again: peeking does not fire it',
    answered: firing(),
  },
]

export const mutants: ReadonlyArray<Mutant> = [
  {
    name: 'lets the strictest ancestor win',
    caughtBy: 'a child may be freer than its parent',
    world: accounts(({ settings, ...account }) => ({
      ...account,
      settings: settings.map(({ path }) => {
        const above = settings.filter((each) => `${path}/`.startsWith(`${each.path}/`.replace('//', '/')))
        return above.reduce((one, other) => ({
          path,
          visibility: strictness[other.visibility] > strictness[one.visibility] ? other.visibility : one.visibility,
        }))
      }),
    })),
  },
  {
    name: 'shows a visitor that a path runs through a private file',
    caughtBy: 'a visitor learns of no file that they may not reach, not even by a type mismatch',
    answered: asToOwner(isVisitors, 404, 409),
  },
  {
    name: 'shows the owner no more than a visitor',
    caughtBy: "the owner's whole tree holds every node",
    answered: (answer, asked, ask) =>
      isOwners(asked)
        ? everyNode((node) => (node.name === '' || isShown(node) ? [node] : []))(answer, asked, ask)
        : answer,
  },
  {
    name: 'accepts an expired token',
    caughtBy: 'a tree by an expired token is an invalid token',
    world: accounts((account) => ({
      ...account,
      tokens: account.tokens.map((token) => (token.state === 'expired' ? { ...token, state: 'valid' } : token)),
    })),
  },
  {
    name: 'compares a scope letter by letter',
    caughtBy: 'a scope covers whole names only',
    answered: (answer, { target }, ask) =>
      target.includes(`${fixtureTokens.scoped}/photos`)
        ? ask(target.replace(fixtureTokens.scoped, fixtureTokens.owner))
        : answer,
  },
  {
    name: 'looks into the storage before it checks the scope',
    caughtBy: 'the scope is checked before the storage',
    answered: asToOwner(isOwners, 403, 409),
  },
  {
    name: 'decodes twice',
    caughtBy: 'a percent sign in a name is written %25',
    asked: readingPath((path) => path.replace(/%25([0-9A-Fa-f]{2})/g, '%$1')),
  },
  {
    name: 'holds sizes in JavaScript numbers',
    caughtBy: 'sizes and times are exact to the last digit in a listing',
    answered: everyNode((node) => [node]),
  },
  {
    name: 'sorts names as JavaScript does',
    caughtBy: "a visitor's whole tree leaves out what is below a directory that is left out",
    ports: (ports) => ({
      ...ports,
      list: (area, path) =>
        pipe(
          ports.list(area, path),
          TE.map((listing) => ({
            ...listing,
            entries: [...listing.entries].sort((x, y) => (x.name < y.name ? -1 : 1)),
          })),
        ),
    }),
  },
  {
    name: 'links to a next page also where only invisible items follow',
    caughtBy: 'the last page links to none, whatever invisible nodes follow',
    answered: (answer, asked) =>
      isVisitors(asked) && asked.target.includes('limit=')
        ? withHeader(answer, 'Link', '<?limit=5&after=secret>; rel="next"')
        : answer,
  },
  {
    name: 'answers a type mismatch with 404',
    caughtBy: 'a listing of a file is a type mismatch',
    answered: (answer) => (answer.status === 409 ? withStatus(answer, 404) : answer),
  },
  ...allRound,
]
