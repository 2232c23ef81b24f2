import { headerOf, type RawResponse } from '@canopy/testkit'
import {
  askedByOwner,
  editingListings,
  editingTrees,
  failing,
  inTree,
  listingIn,
  type Shown,
  withHeader,
  withoutHeader,
} from './answers.js'
import type { Ask, Asked, Misreading, Mutant } from './Mutant.js'
import { isListing, isVisitors, partsOf, reading } from './targets.js'

const query = (change: (query: string) => string): Misreading => reading((parts) => ({ query: change(parts.query) }))

const parameter = ({ target }: Asked, name: string): string | undefined =>
  new URLSearchParams(partsOf(target)?.query ?? '').get(name) ?? undefined

const itemsOf = async (ask: Ask, target: string): Promise<ReadonlyArray<Shown>> => listingIn(await ask(target)).content

const isPage = (asked: Asked): boolean => isListing(asked) && parameter(asked, 'limit') !== undefined

/** Depth and pages (decisions 23 and 24). */
export const boundMutants: ReadonlyArray<Mutant> = [
  {
    name: 'counts the node itself as a level',
    caughtBy: 'depth 1 holds the children, their own children not expanded',
    asked: query((text) => text.replace('depth=1', 'depth=0')),
  },
  {
    name: 'goes one level too deep',
    caughtBy: 'depth 0 is the node alone: no content means not expanded',
    asked: query((text) => text.replace(/depth=([0-9])$/, (_, depth) => `depth=${Number(depth) + 1}`)),
  },
  {
    name: 'ignores the depth',
    caughtBy: 'depth 0 is the node alone: no content means not expanded',
    asked: query((text) => text.replace(/depth=[0-9]+$/, '')),
  },
  {
    name: 'gives an unexpanded directory an empty content',
    caughtBy: 'depth 1 holds the children, their own children not expanded',
    answered: editingTrees((body) => ({
      ...body,
      content: inTree(body.content, (node) => (node.type === 'dir' ? { content: [], ...node } : node)),
    })),
  },
  {
    name: 'ignores the limit',
    caughtBy: 'a page holds the first items in byte order',
    asked: query((text) => text.replace(/limit=[1-9][0-9]*/, '')),
  },
  {
    name: 'gives one item more than the limit',
    caughtBy: 'a page holds the first items in byte order',
    asked: query((text) => text.replace(/limit=([1-9])/, (_, limit) => `limit=${Number(limit) + 1}`)),
  },
  {
    name: 'counts invisible items towards the limit',
    caughtBy: 'the last page links to none, whatever invisible nodes follow',
    answered: editingListings(
      async (body, { target }, ask) => {
        const all = await itemsOf(ask, askedByOwner(target))
        return { ...body, content: body.content.filter(({ name }) => all.some((item) => item.name === name)) }
      },
      (asked) => isVisitors(asked) && isPage(asked),
    ),
  },
  {
    name: 'begins a page with the name it should follow',
    caughtBy: 'the next page follows the last name of the one before',
    answered: editingListings(
      async (body, asked, ask) => {
        const all = await itemsOf(ask, asked.target.replace(/\?.*$/, ''))
        const after = all.filter(({ name }) => name === parameter(asked, 'after'))
        const limit = Number(parameter(asked, 'limit') ?? 1_000)
        return { ...body, content: [...after, ...body.content].slice(0, limit) }
      },
      (asked) => isListing(asked) && parameter(asked, 'after') !== undefined,
    ),
  },
  {
    name: 'does not find the name after which a page begins',
    caughtBy: 'the name after which a page begins need not exist',
    answered: (answer, asked) =>
      parameter(asked, 'after') === 'photos2!' ? failing(answer, 404, 'file not found') : answer,
  },
  {
    name: 'links to no next page',
    caughtBy: 'a page that is not the last links to the next',
    answered: (answer) => withoutHeader(answer, 'Link'),
  },
  {
    name: 'links to a next page from the last',
    caughtBy: 'the last page links to none, whatever invisible nodes follow',
    answered: (answer, asked): RawResponse =>
      isPage(asked) && headerOf(answer, 'Link') === undefined
        ? withHeader(answer, 'Link', '<?limit=5&after=zzz>; rel="next"')
        : answer,
  },
  {
    name: 'forgets the limit in the link to the next page',
    caughtBy: 'the pages that a visitor follows are the whole listing',
    answered: (answer) => {
      const link = headerOf(answer, 'Link')
      return link === undefined ? answer : withHeader(answer, 'Link', link.replace(/limit=[0-9]+&/, ''))
    },
  },
  {
    name: 'does not encode the name in the link to the next page',
    caughtBy: 'the pages that the owner follows are the whole listing, whatever the names',
    answered: (answer) => {
      const link = headerOf(answer, 'Link')
      return link === undefined ? answer : withHeader(answer, 'Link', link.replace('%25', '%'))
    },
  },
  {
    name: 'takes a limit of 0 for no limit',
    caughtBy: '?limit=0 is malformed',
    asked: query((text) => text.replace('?limit=0', '')),
  },
  {
    name: 'accepts a depth with a leading zero',
    caughtBy: '?depth=01 is malformed',
    asked: query((text) => text.replace('depth=01', 'depth=1')),
  },
  {
    name: 'takes the first of a repeated parameter',
    caughtBy: '?limit=1&limit=2 is malformed',
    asked: query((text) => text.replace('&limit=2', '')),
  },
  {
    name: 'ignores a malformed depth',
    caughtBy: '?depth=two is malformed',
    asked: query((text) => text.replace(/depth=[a-z-]+$/, '')),
  },
  {
    name: 'refuses an unknown parameter',
    caughtBy: 'a tree ignores ?unknown=1',
    answered: (answer, asked) => (asked.target.includes('?unknown') ? failing(answer, 400, 'bad request') : answer),
  },
  {
    name: 'takes a plus in a query for a plus',
    caughtBy: 'a plus in a query is a space',
    asked: query((text) => text.replaceAll('+', '%2B')),
  },
]
