import type { Failure } from '@canopy/domain'
import { file, type World } from '../World.js'
import {
  type Ask,
  byToken,
  byUser,
  expanded,
  fails,
  inherited,
  line,
  linesOf,
  listingOf,
  notExpanded,
  own,
  peek,
  type Scenario,
  type Shown,
  scenariosIn,
  shownDir,
  shownFile,
  treeOf,
} from './Scenario.js'
import { account, dir, owner, scoped, theWorld, tokens, triggers, visitor } from './theWorld.js'

type Rows = ReadonlyArray<readonly [name: string, ask: Ask]>

const failing = (error: Failure.FailureName, rows: Rows): ReadonlyArray<Scenario> =>
  scenariosIn(
    theWorld,
    rows.map(([name, ask]) => [name, ask, fails(error)]),
  )

const wrongTokens = [
  ['an unknown token', tokens.unknown],
  ['an expired token', tokens.expired],
  ['a revoked token', tokens.revoked],
  ['a token of the wrong form', 'cnp_short'],
  ['a token with a malformed escape', '%zz'],
  ['a token in another case', tokens.owner.toUpperCase()],
  ['a user id in place of a token', '1'],
  ['a token with an encoded slash after it', `${tokens.owner}%2F`],
] as const

const wrongUsers = [
  ['an unknown user', '77'],
  ['an unverified user', '3'],
  ['a user whose area is private', '2'],
  ['a user id with a leading zero', '01'],
  ['a user id with a sign', '+1'],
  ['a negative user id', '-1'],
  ['a user id above 2^64-1', '18446744073709551616'],
  ['a user id that is a word', 'me'],
  ['a user id with a malformed escape', '%3'],
  ['a user id with an encoded slash after it', '1%2F'],
] as const

/** Every failure of each operation (docs/http-api.md, Errors), and the order of the checks. */
export const errorScenarios: ReadonlyArray<Scenario> = [
  ...failing(
    'invalid token',
    wrongTokens.flatMap(
      ([what, token]): Rows => [
        [`a tree by ${what} is an invalid token`, byToken(token).tree('/photos')],
        [`a listing by ${what} is an invalid token`, byToken(token).items('/photos')],
      ],
    ),
  ),
  ...failing('not verified', [
    ['a tree by a valid token of an unverified account is not verified', byToken(tokens.unverified).tree()],
    ['a listing by a valid token of an unverified account is not verified', byToken(tokens.unverified).items()],
  ]),
  ...failing('permission denied', [
    ['a tree outside the scope of the token is denied', scoped.tree('/readme.txt')],
    ['a listing outside the scope of the token is denied', scoped.items('/private')],
    ['a scope covers whole names only', scoped.items('/photos2')],
    ['a scope does not cover the directory above it', scoped.tree('/')],
    ['outside the scope a missing name is denied like an existing one', scoped.tree('/nothing%20here')],
    ...wrongUsers.flatMap(
      ([what, user]): Rows => [
        [`a tree of ${what} is denied`, byUser(user).tree()],
        [`a listing of ${what} is denied`, byUser(user).items()],
        [`a missing name below ${what} is denied`, byUser(user).tree('/nothing')],
      ],
    ),
    ['a visitor is denied a tree of a private directory', visitor.tree('/private')],
    ['a visitor is denied a listing of a private directory', visitor.items('/private')],
    ['below a private directory an existing file is denied', visitor.tree('/private/diary.txt')],
    ['below a private directory a missing name is denied alike', visitor.tree('/private/nothing')],
    ['below a private file a path is denied without looking', visitor.tree('/private/diary.txt/below')],
  ]),
  ...failing('file not found', [
    ['a setting covers whole names only', visitor.tree('/private2')],
    ['a tree of a missing name is not found', owner.tree('/nothing')],
    ['a listing of a missing name is not found', owner.items('/nothing')],
    ['a visitor asking for a missing name in a public directory gets not found', visitor.tree('/nothing')],
    ['a visitor listing a missing name in a public directory gets not found', visitor.items('/nothing')],
    ['a setting on a missing path makes no node', visitor.tree('/not%20yet')],
    ['below a missing name nothing is found', owner.tree('/nothing/below')],
  ]),
  ...failing('type mismatch', [
    ['a listing of a file is a type mismatch', owner.items('/readme.txt')],
    ['a listing of a visible file by a visitor is a type mismatch', visitor.items('/readme.txt')],
    ['a tree of a file with a trailing slash is a type mismatch', owner.tree('/readme.txt/')],
    ['a visitor asking for a file with a trailing slash gets a type mismatch', visitor.tree('/readme.txt/')],
    ['a path that runs through a file is a type mismatch', owner.tree('/readme.txt/below')],
    ['a listing of a path that runs through a file is a type mismatch', owner.items('/readme.txt/below/further')],
    ['a visitor whose path runs through a file gets a type mismatch', visitor.tree('/readme.txt/below')],
    ['the owner learns of a file in the way, also of a private one', owner.tree('/private/diary.txt/page')],
  ]),
  ...failing('file not found', [
    [
      'a visitor learns of no file that they may not reach, not even by a type mismatch',
      visitor.tree('/private/diary.txt/page'),
    ],
    ['below a file that a visitor may not reach it is as if nothing were there', visitor.tree('/private/nothing/page')],
    [
      'a visitor who lists below a file that they may not reach does not learn of it either',
      visitor.items('/private/diary.txt/page'),
    ],
  ]),
  ...failing('external', [
    ['a tree of an area whose root is missing is external', byToken(tokens.lostDisk).tree()],
    ['a listing of an area whose root is missing is external', byToken(tokens.lostDisk).items()],
    ['a name in an area whose root is missing is external, not missing', byToken(tokens.lostDisk).tree('/a.txt')],
    ['a visitor to an area whose root is missing gets external', byUser('4').tree()],
    ['a visitor listing an area whose root is missing gets external', byUser('4').items('/a')],
    ['a trigger whose stored value is broken is external', peek(triggers.broken)],
  ]),
  ...failing('trigger not found', [
    ['an unknown trigger is not found', peek('unknown')],
    ['an expired trigger is not found', peek(triggers.expired)],
    ['a deleted trigger is not found', peek(triggers.deleted)],
    ['a malformed trigger id is not found', peek('%ff')],
    ['a trigger id with an encoded slash is not found', peek('doorbell%2F')],
  ]),
  ...failing('invalid token', [['the token is checked before the path', byToken(tokens.unknown).tree('/a//b')]]),
  ...failing('not verified', [['the account is checked before the path', byToken(tokens.unverified).tree('/%zz')]]),
  ...failing('file not found', [
    ['the path is checked before the scope', scoped.tree('/%zz')],
    ['for a visitor the path is checked before the account', byUser('77').tree('/a//b')],
  ]),
  ...failing('permission denied', [
    ['the scope is checked before the storage', scoped.tree('/readme.txt/below')],
    ['for a visitor the visibility is checked before the storage', visitor.items('/private/diary.txt')],
  ]),
]

const token = `cnp_${'m'.repeat(42)}A`
const [ownerOf8, visitorOf8] = [byToken(token), byUser('8')]

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
const z = shownFile('z', 5, 5, shown)
const f = shownFile('f', 7, 7, shown)
const locked = shownDir('locked', 2, shown)
const docs = expanded(shownDir('docs', 1, shown), locked, z)
const open = shownDir('open', 12, shown)
const mounts = shownDir('mounts', 6, shown)
const notes = (...first: ReadonlyArray<Shown>) =>
  expanded(shownDir('notes', 8, shown), ...first, shownFile('n', 11, 11, shown))
const root = (...content: ReadonlyArray<Shown>) => treeOf(expanded(shownDir('', 0, own('public')), ...content))

/** The exact answers for unreadable nodes. Needs a backend that can seed locked directories. */
export const faultScenarios: ReadonlyArray<Scenario> = scenariosIn(world, [
  [
    'a locked directory below the one that was asked for is not expanded, and takes nothing else away',
    ownerOf8.tree('/docs'),
    treeOf(docs),
  ],
  ['a tree of a locked directory is external', ownerOf8.tree('/docs/locked'), fails('external')],
  ['a tree of a locked directory alone is the node', ownerOf8.tree('/docs/locked', { depth: 0 }), treeOf(locked)],
  ['a listing of a locked directory is external', visitorOf8.items('/docs/locked'), fails('external')],
  ['a page of a locked directory is external', ownerOf8.items('/docs/locked', { limit: 1 }), fails('external')],
  ['what is in a locked directory is external', ownerOf8.tree('/docs/locked/a'), fails('external')],
  ['a name in a locked directory is external, not missing', visitorOf8.tree('/docs/locked/no'), fails('external')],
  ['a listing shows a locked directory like any other', visitorOf8.items('/docs'), listingOf(locked, z)],
  [
    'a locked directory is a line that is not expanded, whatever name is searched for',
    ownerOf8.lines('/docs', { name: 'z' }),
    linesOf(notExpanded(line('/docs', locked)), line('/docs', z)),
  ],
  [
    'a locked directory in which lines start is sent again, because nodes of it may be missing',
    ownerOf8.lines('/docs', { after: '/docs/locked/a' }),
    linesOf(notExpanded(line('/docs', locked)), line('/docs', z)),
  ],
  ['lines of a locked directory are external', ownerOf8.lines('/docs/locked'), fails('external')],
  ['a visitor does not hear of a private directory that is locked', visitorOf8.tree('/notes'), treeOf(notes())],
])

/** Needs a backend that can seed `dead` entries too. */
export const deadEntryScenarios: ReadonlyArray<Scenario> = scenariosIn(world, [
  [
    'a directory with an entry that cannot be looked at is not expanded in the tree of the owner',
    ownerOf8.tree(),
    root(docs, mounts, notes(shownDir('locked', 9, own('private'))), open),
  ],
  [
    'a visitor does not hear of a private entry that cannot be looked at',
    visitorOf8.tree(),
    root(docs, expanded(mounts, f), notes(), open),
  ],
  [
    'a tree of a directory with an entry that the asker would see and that cannot be looked at is external',
    visitorOf8.tree('/open'),
    fails('external'),
  ],
  ['a listing of it is external', visitorOf8.items('/open'), fails('external')],
  [
    'a listing with a private entry that cannot be looked at is whole for a visitor',
    visitorOf8.items('/mounts'),
    listingOf(f),
  ],
  ['and external for the owner', ownerOf8.items('/mounts'), fails('external')],
  ['an entry that cannot be looked at is external', ownerOf8.tree('/open/mount'), fails('external')],
])
