import type { Failure } from '@canopy/domain'
import type { World } from '../World.js'
import {
  type Ask,
  dirItem,
  dirNode,
  fails,
  fileItem,
  fileNode,
  inherited,
  listingOf,
  own,
  ownerItems,
  ownerTree,
  peek,
  type Scenario,
  scenarioIn,
  treeOf,
  visitorItems,
  visitorTree,
} from './Scenario.js'
import { account, dir, file, scenario, tokens, triggers } from './theWorld.js'

type Row = readonly [name: string, ask: Ask]

const failing = (error: Failure.FailureName, rows: ReadonlyArray<Row>): ReadonlyArray<Scenario> =>
  rows.map(([name, ask]) => scenario(name, ask, fails(error)))

const invalidToken = failing(
  'invalid token',
  (
    [
      ['an unknown token', tokens.unknown],
      ['an expired token', tokens.expired],
      ['a revoked token', tokens.revoked],
      ['a token of the wrong form', 'cnp_short'],
      ['a token with a malformed escape', '%zz'],
      ['a token in another case', tokens.owner.toUpperCase()],
      ['a user id in place of a token', '1'],
      ['a token with an encoded slash behind it', `${tokens.owner}%2F`],
    ] as const
  ).flatMap(
    ([what, credential]): ReadonlyArray<Row> => [
      [`a tree by ${what} is an invalid token`, ownerTree(credential, '/photos')],
      [`a listing by ${what} is an invalid token`, ownerItems(credential, '/photos')],
    ],
  ),
)

const notVerified = failing('not verified', [
  ['a tree by a valid token of an unverified account is not verified', ownerTree(tokens.unverified)],
  ['a listing by a valid token of an unverified account is not verified', ownerItems(tokens.unverified)],
])

const permissionDenied = failing('permission denied', [
  ['a tree outside the scope of the token is denied', ownerTree(tokens.scoped, '/readme.txt')],
  ['a listing outside the scope of the token is denied', ownerItems(tokens.scoped, '/private')],
  ['a scope covers whole names only', ownerItems(tokens.scoped, '/photos2')],
  ['a scope does not cover the directory above it', ownerTree(tokens.scoped, '/')],
  ['outside the scope a missing name is denied like an existing one', ownerTree(tokens.scoped, '/nothing%20here')],
  ...(
    [
      ['an unknown user', '77'],
      ['an unverified user', '3'],
      ['a user whose area is private', '2'],
      ['a user id with a leading zero', '01'],
      ['a user id with a sign', '+1'],
      ['a negative user id', '-1'],
      ['a user id above 2^64-1', '18446744073709551616'],
      ['a user id that is a word', 'me'],
      ['a user id with a malformed escape', '%3'],
      ['a user id with an encoded slash behind it', '1%2F'],
    ] as const
  ).flatMap(
    ([what, credential]): ReadonlyArray<Row> => [
      [`a tree of ${what} is denied`, visitorTree(credential)],
      [`a listing of ${what} is denied`, visitorItems(credential)],
      [`a missing name below ${what} is denied`, visitorTree(credential, '/nothing')],
    ],
  ),
  ['a visitor is denied a tree of a private directory', visitorTree('1', '/private')],
  ['a visitor is denied a listing of a private directory', visitorItems('1', '/private')],
  ['below a private directory an existing file is denied', visitorTree('1', '/private/diary.txt')],
  ['below a private directory a missing name is denied alike', visitorTree('1', '/private/nothing')],
  ['below a private file a path is denied without looking', visitorTree('1', '/private/diary.txt/below')],
])

const fileNotFound = failing('file not found', [
  ['a setting covers whole names only', visitorTree('1', '/private2')],
  ['a tree of a missing name is not found', ownerTree(tokens.owner, '/nothing')],
  ['a listing of a missing name is not found', ownerItems(tokens.owner, '/nothing')],
  ['a visitor asking for a missing name in a public directory gets not found', visitorTree('1', '/nothing')],
  ['a visitor listing a missing name in a public directory gets not found', visitorItems('1', '/nothing')],
  ['a setting on a missing path makes no node', visitorTree('1', '/not%20yet')],
  ['below a missing name nothing is found', ownerTree(tokens.owner, '/nothing/below')],
])

const typeMismatch = [
  ...failing('type mismatch', [
    ['a listing of a file is a type mismatch', ownerItems(tokens.owner, '/readme.txt')],
    ['a listing of a visible file by a visitor is a type mismatch', visitorItems('1', '/readme.txt')],
    ['a tree of a file with a trailing slash is a type mismatch', ownerTree(tokens.owner, '/readme.txt/')],
    ['a visitor asking for a file with a trailing slash gets a type mismatch', visitorTree('1', '/readme.txt/')],
    ['a path that runs through a file is a type mismatch', ownerTree(tokens.owner, '/readme.txt/below')],
    [
      'a listing of a path that runs through a file is a type mismatch',
      ownerItems(tokens.owner, '/readme.txt/below/further'),
    ],
    ['a visitor whose path runs through a file gets a type mismatch', visitorTree('1', '/readme.txt/below')],
    [
      'the owner learns of a file in the way, also of a private one',
      ownerTree(tokens.owner, '/private/diary.txt/page'),
    ],
  ]),
  ...failing('file not found', [
    [
      'a visitor learns of no file that they may not reach, not even by a type mismatch',
      visitorTree('1', '/private/diary.txt/page'),
    ],
    [
      'below a file that a visitor may not reach it is as if nothing were there',
      visitorTree('1', '/private/nothing/page'),
    ],
    [
      'a visitor who lists below a file that they may not reach does not learn of it either',
      visitorItems('1', '/private/diary.txt/page'),
    ],
  ]),
]

const external = failing('external', [
  ['a tree of an area whose root is missing is external', ownerTree(tokens.lostDisk)],
  ['a listing of an area whose root is missing is external', ownerItems(tokens.lostDisk)],
  ['a name in an area whose root is missing is external, not missing', ownerTree(tokens.lostDisk, '/a.txt')],
  ['a visitor to an area whose root is missing gets external', visitorTree('4')],
  ['a visitor listing an area whose root is missing gets external', visitorItems('4', '/a')],
  ['a trigger whose stored value is broken is external', peek(triggers.broken)],
])

const triggerNotFound = failing('trigger not found', [
  ['an unknown trigger is not found', peek('unknown')],
  ['an expired trigger is not found', peek(triggers.expired)],
  ['a deleted trigger is not found', peek(triggers.deleted)],
  ['a malformed trigger id is not found', peek('%ff')],
  ['a trigger id with an encoded slash is not found', peek('doorbell%2F')],
])

const orderOfChecks = [
  ...failing('invalid token', [['the token is checked before the path', ownerTree(tokens.unknown, '/a//b')]]),
  ...failing('not verified', [['the account is checked before the path', ownerTree(tokens.unverified, '/%zz')]]),
  ...failing('file not found', [
    ['the path is checked before the scope', ownerTree(tokens.scoped, '/%zz')],
    ['for a visitor the path is checked before the account', visitorTree('77', '/a//b')],
  ]),
  ...failing('permission denied', [
    ['the scope is checked before the storage', ownerTree(tokens.scoped, '/readme.txt/below')],
    ['for a visitor the visibility is checked before the storage', visitorItems('1', '/private/diary.txt')],
  ]),
]

/** Every cell of the error table of the interface, part 7, and the order in which errors are decided. */
export const errorScenarios: ReadonlyArray<Scenario> = [
  ...invalidToken,
  ...notVerified,
  ...permissionDenied,
  ...fileNotFound,
  ...typeMismatch,
  ...external,
  ...triggerNotFound,
  ...orderOfChecks,
]

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

const faulty = scenarioIn(world)

/**
 * What cannot be read, as questions and exact answers: for a backend behind which locked directories can be
 * seeded, and for those that need a `dead` entry, such entries too.
 */
export const faultScenarios: ReadonlyArray<Scenario> = [
  faulty(
    'a locked directory below the one that was asked for is not expanded, and takes nothing else away',
    ownerTree(token, '/docs'),
    treeOf(docs),
  ),
  faulty('a tree of a locked directory is external', ownerTree(token, '/docs/locked'), fails('external')),
  faulty(
    'a tree of a locked directory alone is the node',
    ownerTree(token, '/docs/locked', { depth: 0 }),
    treeOf(notExpanded('locked')),
  ),
  faulty('a listing of a locked directory is external', visitorItems('8', '/docs/locked'), fails('external')),
  faulty(
    'a page of a locked directory is external',
    ownerItems(token, '/docs/locked', { limit: 1 }),
    fails('external'),
  ),
  faulty('what stands in a locked directory is external', ownerTree(token, '/docs/locked/a'), fails('external')),
  faulty(
    'a name in a locked directory is external, not missing',
    visitorTree('8', '/docs/locked/no'),
    fails('external'),
  ),
  faulty(
    'a listing shows a locked directory like any other',
    visitorItems('8', '/docs'),
    listingOf(dirItem('locked', 2, shown), fileItem('z', 5, 5, shown)),
  ),
  faulty('a visitor does not hear of a private directory that is locked', visitorTree('8', '/notes'), treeOf(notes())),
]

/** Those that need a `dead` entry as well. */
export const deadEntryScenarios: ReadonlyArray<Scenario> = [
  faulty(
    'a directory with an entry that cannot be looked at is not expanded in the tree of the owner',
    ownerTree(token),
    treeOf(dirNode('', own('public'), ofOwner)),
  ),
  faulty(
    'a visitor does not hear of a private entry that cannot be looked at',
    visitorTree('8'),
    treeOf(dirNode('', own('public'), ofVisitor)),
  ),
  faulty(
    'a tree of a directory with an entry that the asker would see and that cannot be looked at is external',
    visitorTree('8', '/open'),
    fails('external'),
  ),
  faulty('a listing of it is external', visitorItems('8', '/open'), fails('external')),
  faulty(
    'a listing with a private entry that cannot be looked at is whole for a visitor',
    visitorItems('8', '/mounts'),
    listingOf(fileItem('f', 7, 7, shown)),
  ),
  faulty('and external for the owner', ownerItems(token, '/mounts'), fails('external')),
  faulty('an entry that cannot be looked at is external', ownerTree(token, '/open/mount'), fails('external')),
]
