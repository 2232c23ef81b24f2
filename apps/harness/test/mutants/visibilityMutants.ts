import type { Visibility } from '@canopy/domain'
import {
  askedByOwner,
  editingListings,
  editingTrees,
  everyNode,
  failing,
  inTree,
  listingIn,
  type Shown,
  treeIn,
} from './answers.js'
import type { Misanswering, Mutant } from './Mutant.js'
import { isOwners, isVisitors } from './targets.js'

const strictness: { readonly [V in Visibility.Visibility]: number } = { public: 0, hidden: 1, private: 2 }

const covers = (above: string, path: string): boolean => above === '/' || path === above || path.startsWith(`${above}/`)

const isHiddenItself = ({ visibility }: Shown): boolean => visibility.visibility === 'hidden' && !visibility.inherited

const isShown = (node: Shown): boolean =>
  node.visibility.visibility === 'public' || (node.visibility.visibility === 'hidden' && node.visibility.inherited)

const leadsToShown = (node: Shown): boolean => isShown(node) || (node.content ?? []).length > 0

/** A visitor's listing as the owner's, of which only some is shown. */
const listingOf = (shows: (item: Shown) => boolean): Misanswering =>
  editingListings(
    async (body, { target }, ask) => ({
      ...body,
      content: listingIn(await ask(askedByOwner(target))).content.filter(shows),
    }),
    (asked) => isVisitors(asked) && asked.target.includes('/id/1'),
  )

/** Who sees what (decisions 1 to 6). */
export const visibilityMutants: ReadonlyArray<Mutant> = [
  {
    name: 'lets the strictest ancestor win',
    caughtBy: 'a child may be freer than its parent',
    world: ({ accounts, triggers }) => ({
      triggers,
      accounts: accounts.map((account) => ({
        ...account,
        settings: account.settings.map(({ path }) => ({
          path,
          visibility:
            account.settings
              .filter((above) => covers(above.path, path))
              .map(({ visibility }) => visibility)
              .sort((x, y) => strictness[y] - strictness[x])[0] ?? 'private',
        })),
      })),
    }),
  },
  {
    name: 'takes an area where nothing is set for public',
    caughtBy: 'a tree of a user whose area is private is denied',
    world: ({ accounts, triggers }) => ({
      triggers,
      accounts: accounts.map((account) => ({
        ...account,
        settings: account.settings.length > 0 ? account.settings : [{ path: '/', visibility: 'public' }],
      })),
    }),
  },
  {
    name: 'lets a setting cover what only begins alike',
    caughtBy: 'a setting covers whole names only',
    answered: (answer, asked) =>
      isVisitors(asked) && asked.target.includes('/1/private') ? failing(answer, 403, 'permission denied') : answer,
  },
  {
    name: 'says of the root that it inherits',
    caughtBy: 'depth 0 is the node alone: no content means not expanded',
    answered: everyNode((node) =>
      node.name === '' ? { ...node, visibility: { ...node.visibility, inherited: true } } : node,
    ),
  },
  {
    name: 'says of a setting of its own that it is inherited',
    caughtBy: 'the tree of a hidden directory is its visible subtree',
    answered: everyNode((node) => ({ ...node, visibility: { ...node.visibility, inherited: true } })),
  },
  {
    name: 'says of an inherited visibility that it is the node’s own',
    caughtBy: 'a file is a tree of its own',
    answered: everyNode((node) => ({ ...node, visibility: { ...node.visibility, inherited: false } })),
  },
  {
    name: 'lists a hidden directory in its parent',
    caughtBy: 'a directory set hidden is left out of its parent',
    answered: listingOf((item) => isShown(item) || isHiddenItself(item)),
  },
  {
    name: 'lists a private directory in its parent',
    caughtBy: 'a visitor sees in a public root what inherits it, in byte order, and not what is hidden or private',
    answered: listingOf((item) => isShown(item) || item.visibility.visibility === 'private'),
  },
  {
    name: 'lists nothing in a hidden directory',
    caughtBy: 'a hidden directory asked for by name lists what inherits it, and keeps a second secret',
    answered: listingOf(({ visibility }) => visibility.visibility === 'public'),
  },
  {
    name: 'keeps no second secret',
    caughtBy: 'a hidden directory asked for by name lists what inherits it, and keeps a second secret',
    answered: listingOf(({ visibility }) => visibility.visibility !== 'private'),
  },
  {
    name: 'shows of a hidden directory’s tree only what inherits it',
    caughtBy: 'a hidden directory below a private one is reached by its name, and shows what is public in it',
    answered: editingTrees(
      (body) => ({
        ...body,
        content: { ...body.content, content: body.content.content?.filter(({ visibility }) => visibility.inherited) },
      }),
      isVisitors,
    ),
  },
  {
    name: 'shows in a tree the way to a public file in a private directory',
    caughtBy: 'the tree of a hidden directory is its visible subtree',
    answered: editingTrees(
      async (body, { target }, ask) => {
        const whole = treeIn(await ask(askedByOwner(target))).content
        return { ...body, content: inTree(whole, (node) => (leadsToShown(node) ? node : undefined)) ?? whole }
      },
      ({ target }) => target.includes('/tree/id/1/photos/2024'),
    ),
  },
  {
    name: 'hides a hidden directory from whoever knows its name',
    caughtBy: 'a second hidden directory is reached by its name',
    answered: (answer, asked) =>
      isVisitors(asked) && answer.body.includes('"visibility":"hidden"')
        ? failing(answer, 403, 'permission denied')
        : answer,
  },
  {
    name: 'lets a visitor into a private directory by its name',
    caughtBy: 'a visitor is denied a tree of a private directory',
    answered: (answer, asked, ask) =>
      isVisitors(asked) && answer.status === 403 && asked.target.includes('/id/1/')
        ? ask(askedByOwner(asked.target))
        : answer,
  },
  {
    name: 'tells below a private directory what is missing',
    caughtBy: 'below a private directory a missing name is denied alike',
    answered: async (answer, asked, ask) => {
      if (!isVisitors(asked) || answer.status !== 403 || !asked.target.includes('/id/1/')) return answer
      const owners = await ask(askedByOwner(asked.target))
      return owners.status === 404 ? owners : answer
    },
  },
  {
    name: 'tells a visitor that a path runs through a private file',
    caughtBy: 'a visitor is not told of a file that they may not reach, not even by a type mismatch',
    answered: async (answer, asked, ask) => {
      if (!isVisitors(asked) || answer.status !== 404) return answer
      const owners = await ask(askedByOwner(asked.target))
      return owners.status === 409 ? owners : answer
    },
  },
  {
    name: 'finds a node wherever a setting is',
    caughtBy: 'a setting on a missing path makes no node',
    world: ({ accounts, triggers }) => ({
      triggers,
      accounts: accounts.map((account) =>
        account.area === 'missing' || account.id !== '1'
          ? account
          : { ...account, area: [...account.area, { type: 'dir', name: 'not yet', last_modified: 1n, content: [] }] },
      ),
    }),
  },
  {
    name: 'shows the owner no more than a visitor',
    caughtBy: "the owner's whole tree holds every node",
    answered: editingTrees(
      (body) => ({
        ...body,
        content: inTree(body.content, (node) => (node.name === '' || isShown(node) ? node : undefined)),
      }),
      isOwners,
    ),
  },
]
