import { Failure, type Name } from '@canopy/domain'
import type { RawResponse } from '@canopy/testkit'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { everyNode, failing, type Shown, withText } from './answers.js'
import type { Mutant } from './Mutant.js'

const emptied =
  (mutate: (text: string) => string) =>
  (answer: RawResponse): RawResponse =>
    answer.status === 200 ? withText(answer, mutate(answer.body.toString())) : answer

const sortedBy =
  (
    compare: (x: { name: Name.Name; type: string }, y: { name: Name.Name; type: string }) => number,
  ): NonNullable<Mutant['ports']> =>
  (ports) => ({
    ...ports,
    list: (area, path) =>
      pipe(
        ports.list(area, path),
        TE.map((listing) => ({ ...listing, entries: [...listing.entries].sort(compare) })),
      ),
  })

const inBits = (bits: number) => (n: number) => Number(BigInt.asUintN(bits, BigInt(n)))

const numbers = (change: (n: number) => number) =>
  everyNode((node) => ({
    ...node,
    ...(node.size === undefined ? {} : { size: change(node.size) }),
    ...(node.last_modified === undefined ? {} : { last_modified: change(node.last_modified) }),
  }))

const isDirectory = (node: Shown): boolean => node.type === 'dir' || node.is_file === false

/** What a node says of itself (decisions 19 to 23). */
export const valueMutants: ReadonlyArray<Mutant> = [
  {
    name: 'keeps sizes in JavaScript numbers',
    caughtBy: 'sizes and times are exact to the last digit in a listing',
    answered: everyNode((node) => node),
  },
  { name: 'keeps sizes in 32 bits', caughtBy: 'sizes and times go beyond 32 bits', answered: numbers(inBits(32)) },
  {
    name: 'tells times in milliseconds',
    caughtBy: 'a file is a tree of its own',
    answered: everyNode((node) =>
      node.last_modified === undefined ? node : { ...node, last_modified: node.last_modified * 1000 },
    ),
  },
  {
    name: 'tells sizes as text',
    caughtBy: 'a file is a tree of its own',
    answered: everyNode((node) => (node.size === undefined ? node : { ...node, size: `${node.size}` })),
  },
  {
    name: 'gives a directory a size',
    caughtBy: 'a page holds the first items in byte order',
    answered: everyNode((node) => (node.is_file === false ? { ...node, size: 4096 } : node)),
  },
  {
    name: 'gives a directory a time in a tree',
    caughtBy: 'depth 0 is the node alone: no content means not expanded',
    answered: everyNode((node) => (node.type === 'dir' ? { ...node, last_modified: 1 } : node)),
  },
  {
    name: 'names the root /',
    caughtBy: 'depth 0 is the node alone: no content means not expanded',
    answered: everyNode((node) => (node.name === '' ? { ...node, name: '/' } : node)),
  },
  {
    name: 'marks directories by a slash behind their names',
    caughtBy: 'a page holds the first items in byte order',
    answered: everyNode((node) => (isDirectory(node) ? { ...node, name: `${node.name}/` } : node)),
  },
  {
    name: 'calls a directory a directory',
    caughtBy: 'a hidden empty root answers whoever knows the id',
    answered: everyNode((node) => (node.type === 'dir' ? { ...node, type: 'directory' } : node)),
  },
  {
    name: 'sorts names as JavaScript does',
    caughtBy: "a visitor's whole tree leaves out what is below a directory that is left out",
    ports: sortedBy((x, y) => (x.name < y.name ? -1 : 1)),
  },
  {
    name: 'sorts names as people do',
    caughtBy: "the owner's whole tree holds every node",
    ports: sortedBy((x, y) => x.name.localeCompare(y.name)),
  },
  {
    name: 'sorts directories first',
    caughtBy: 'the tree of a hidden directory is its visible subtree',
    ports: sortedBy((x, y) => (x.type === y.type ? 0 : x.type === 'dir' ? -1 : 1)),
  },
  {
    name: 'leaves out the content of an empty directory',
    caughtBy: 'a hidden empty root answers whoever knows the id',
    answered: emptied((text) => text.replaceAll(',"content":[]', '')),
  },
  {
    name: 'takes an empty directory for a missing one',
    caughtBy: 'an empty directory has an empty listing',
    answered: (answer) =>
      answer.body.toString() === '{"type":"dir content","content":[]}'
        ? failing(answer, 404, 'file not found')
        : answer,
  },
  {
    name: 'takes a missing root for an empty one',
    caughtBy: 'a tree of an area whose root is missing is external',
    world: ({ accounts, triggers }) => ({
      triggers,
      accounts: accounts.map((account) => ({ ...account, area: account.area === 'missing' ? [] : account.area })),
    }),
  },
  {
    name: 'does not find a missing root',
    caughtBy: 'a visitor to an area whose root is missing gets external',
    ports: (ports) => ({
      ...ports,
      nodeAt: (area, path) =>
        pipe(
          ports.nodeAt(area, path),
          TE.mapLeft((failure) => (failure.error === 'external' ? Failure.fileNotFound : failure)),
        ),
    }),
  },
  {
    name: 'wraps a listing in the envelope of a tree',
    caughtBy: 'an empty directory has an empty listing',
    answered: emptied((text) => text.replace('"dir content"', '"tree"')),
  },
  {
    name: 'tells more of a file than there is to tell',
    caughtBy: 'a file is a tree of its own',
    answered: everyNode((node) => (node.type === 'file' ? { ...node, path: '/srv/areas/1' } : node)),
  },
]
