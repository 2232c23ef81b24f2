import { ownerItems, ownerTree, visitorItems, visitorTree } from '../Ask.js'
import type { World } from '../World.js'
import { dirItem, dirNode, fileItem, fileNode, inherited, listingOf, own, treeOf } from './json.js'
import { fails, type Scenario, scenarioIn } from './Scenario.js'
import { account, dir, file } from './theWorld.js'

const token = `cnp_${'m'.repeat(42)}A`

const world: World = {
  accounts: [
    account(
      '8',
      token,
      [
        { path: '/', visibility: 'public' },
        { path: '/notes/locked', visibility: 'private' },
        { path: '/mounts/secret', visibility: 'private' },
      ],
      [
        dir('docs', 1, { ...dir('locked', 2, file('a', 3, 3), dir('below', 4)), locked: true }, file('z', 5, 5)),
        dir('mounts', 6, { type: 'dead', name: 'secret' }, file('f', 7, 7)),
        dir('notes', 8, { ...dir('locked', 9, file('b', 10, 10)), locked: true }, file('n', 11, 11)),
        dir('open', 12, { type: 'dead', name: 'mount' }, file('g', 13, 13)),
      ],
    ),
  ],
  triggers: [],
}

const shown = inherited('public')
const docs = dirNode('docs', shown, [dirNode('locked', shown), fileNode('z', 5, 5, shown)])
const notExpanded = (name: string) => dirNode(name, shown)
const notes = (...locked: ReadonlyArray<unknown>) => dirNode('notes', shown, [...locked, fileNode('n', 11, 11, shown)])
const ofOwner = [docs, notExpanded('mounts'), notes(dirNode('locked', own('private'))), notExpanded('open')]
const ofVisitor = [docs, dirNode('mounts', shown, [fileNode('f', 7, 7, shown)]), notes(), notExpanded('open')]

const scenario = scenarioIn(world)

/**
 * What cannot be read, as questions and exact answers: for a backend behind which locked directories can be
 * seeded, and for those that need a `dead` entry, such entries too.
 */
export const faultScenarios: ReadonlyArray<Scenario> = [
  scenario(
    'a locked directory below the one that was asked for is not expanded, and takes nothing else away',
    ownerTree(token, '/docs'),
    treeOf(docs),
  ),
  scenario('a tree of a locked directory is external', ownerTree(token, '/docs/locked'), fails('external')),
  scenario(
    'a tree of a locked directory alone is the node',
    ownerTree(token, '/docs/locked', { depth: 0 }),
    treeOf(notExpanded('locked')),
  ),
  scenario('a listing of a locked directory is external', visitorItems('8', '/docs/locked'), fails('external')),
  scenario(
    'a page of a locked directory is external',
    ownerItems(token, '/docs/locked', { limit: 1 }),
    fails('external'),
  ),
  scenario('what stands in a locked directory is external', ownerTree(token, '/docs/locked/a'), fails('external')),
  scenario(
    'a name in a locked directory is external, not missing',
    visitorTree('8', '/docs/locked/no'),
    fails('external'),
  ),
  scenario(
    'a listing tells of a locked directory as of any other',
    visitorItems('8', '/docs'),
    listingOf(dirItem('locked', 2, shown), fileItem('z', 5, 5, shown)),
  ),
  scenario(
    'a visitor does not hear of a private directory that is locked',
    visitorTree('8', '/notes'),
    treeOf(notes()),
  ),
]

/** Those that need a `dead` entry as well. */
export const deadEntryScenarios: ReadonlyArray<Scenario> = [
  scenario(
    'a directory with an entry that cannot be looked at is not expanded in the tree of the owner',
    ownerTree(token),
    treeOf(dirNode('', own('public'), ofOwner)),
  ),
  scenario(
    'a visitor does not hear of a private entry that cannot be looked at',
    visitorTree('8'),
    treeOf(dirNode('', own('public'), ofVisitor)),
  ),
  scenario(
    'a tree of a directory with an entry that the asker would see and that cannot be looked at is external',
    visitorTree('8', '/open'),
    fails('external'),
  ),
  scenario('a listing of it is external', visitorItems('8', '/open'), fails('external')),
  scenario(
    'a listing with a private entry that cannot be looked at is whole for a visitor',
    visitorItems('8', '/mounts'),
    listingOf(fileItem('f', 7, 7, shown)),
  ),
  scenario('and external for the owner', ownerItems(token, '/mounts'), fails('external')),
  scenario('an entry that cannot be looked at is external', ownerTree(token, '/open/mount'), fails('external')),
]
