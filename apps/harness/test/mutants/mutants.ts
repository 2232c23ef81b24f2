import { fixtureTokens, type World, type WorldAccount } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type Asked,
  askedByOwner,
  everyNode,
  isOwners,
  isPeek,
  isVisitors,
  type Misanswering,
  type Mutant,
  readingPath,
  type Shown,
  withHeader,
  withoutHeader,
  withStatus,
  withText,
} from './Mutant.js'

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
