import { file, type World } from '../World.js'
import { errorScenarios } from './errorScenarios.js'
import { httpScenarios } from './httpScenarios.js'
import { pathScenarios } from './pathScenarios.js'
import {
  byToken,
  byUser,
  expanded,
  inherited,
  line,
  linesOf,
  listingOf,
  notExpanded,
  own,
  peek,
  type Scenario,
  scenariosIn,
  shownDir,
  shownFile,
  treeOf,
} from './Scenario.js'
import { account, owner, scoped, seen, seenOdd, theWorld, tokens, triggers, visitor } from './theWorld.js'

const root = shownDir('', 0, own('public'))
const odd = expanded(seen.odd, ...seenOdd)
const week = expanded(seen.week, seen.day)
const best = expanded(seen.best, seen.one)
const photos2 = expanded(seen.photos2, seen.other)
const whispered = expanded(seen.whispered, seen.hint, seen.said)

/** The views of owners and visitors. */
const visibilityScenarios = scenariosIn(theWorld, [
  [
    'a visitor sees in a public root what inherits it, in byte order, and not what is hidden or private',
    visitor.items(),
    listingOf(seen.empty, seen.odd, seen.photos, seen.photos2, seen.readme),
  ],
  [
    'the owner sees every node with its visibility, and no link, FIFO or undecodable name',
    owner.items(),
    listingOf(seen.empty, seen.odd, seen.photos, seen.photos2, seen.private, seen.readme),
  ],
  ['a directory set hidden is left out of its parent', visitor.items('/photos'), listingOf(seen.cover)],
  [
    'a hidden directory asked for by name lists what inherits it, and keeps a second secret',
    visitor.items('/photos/2024'),
    listingOf(seen.beach, seen.week),
  ],
  [
    'the tree of a hidden directory is its visible subtree',
    visitor.tree('/photos/2024'),
    treeOf(expanded(seen.year, seen.beach, week)),
  ],
  ['a second hidden directory is reached by its name', visitor.tree('/photos/2024/best/'), treeOf(best)],
  [
    'a public file below a private directory is reached by its name',
    visitor.tree('/photos/2024/raw/open.txt'),
    treeOf(seen.open),
  ],
  ['a child may be freer than its parent', visitor.items('/private/shared'), listingOf(seen.note)],
  [
    'a hidden directory below a private one is reached by its name, and shows what is public in it',
    visitor.tree('/private/whispered'),
    treeOf(whispered),
  ],
  [
    "a visitor's whole tree leaves out what is below a directory that is left out",
    visitor.tree(),
    treeOf(expanded(root, expanded(seen.empty), odd, expanded(seen.photos, seen.cover), photos2, seen.readme)),
  ],
  [
    "the owner's whole tree holds every node",
    owner.tree('/'),
    treeOf(
      expanded(
        root,
        expanded(seen.empty),
        odd,
        expanded(
          seen.photos,
          expanded(seen.year, seen.beach, best, expanded(seen.raw, seen.closed, seen.open), week),
          seen.cover,
        ),
        expanded(seen.photos2, seen.other, seen.withheld),
        expanded(seen.private, seen.diary, expanded(seen.shared, seen.note), whispered),
        seen.readme,
      ),
    ),
  ],
  ['a file alone is a tree, too', visitor.tree('/readme.txt'), treeOf(seen.readme)],
  ['an empty directory has an empty listing', visitor.items('/empty'), listingOf()],
  [
    'without any setting the owner sees everything as private, the root not inherited',
    byToken(tokens.closed).tree(),
    treeOf(expanded(shownDir('', 0, own('private')), shownFile('secret.txt', 1, 1, inherited('private')))),
  ],
  [
    'a hidden empty root answers anyone who knows the id',
    byUser('0').tree(),
    treeOf(expanded(shownDir('', 0, own('hidden')))),
  ],
  [
    'the largest user id is a user like any other',
    byUser('18446744073709551615').items('/'),
    listingOf(shownFile('last.txt', 1, 1, inherited('public'))),
  ],
  [
    'a token with a scope reads inside it, by paths from the root of the area',
    scoped.items('/photos/'),
    listingOf(seen.year, seen.cover),
  ],
])

const ruled = {
  root: shownDir('', 0, own('public')),
  git: shownDir('.git', 100, own('private')),
  config: shownFile('config', 1, 1, inherited('private')),
  thumbs: shownFile('Thumbs.DB', 1, 1, own('private')),
  notes: shownFile('notes.tmp', 2, 2, own('hidden')),
  readme: shownFile('readme', 3, 3, inherited('public')),
  shared: shownDir('shared', 100, inherited('public')),
  sharedGit: shownDir('.git', 100, own('public')),
  x: shownFile('x.tmp', 4, 4, own('hidden')),
  star: shownFile('a*b', 5, 5, own('hidden')),
}
const ruledVisitor = byUser('12')

const ruleScenarios = scenariosIn(theWorld, [
  [
    'rules take every name that they match out of listings, in either case of ASCII letters',
    ruledVisitor.items(),
    listingOf(ruled.readme, ruled.shared),
  ],
  ['a name that a rule hides is reached by its path', ruledVisitor.tree('/notes.tmp'), treeOf(ruled.notes)],
  [
    'a name that a rule makes private is `permission denied`',
    ruledVisitor.tree('/.git'),
    { error: 'permission denied' },
  ],
  [
    'below a name that a rule makes private everything is `permission denied`',
    ruledVisitor.tree('/.git/config'),
    { error: 'permission denied' },
  ],
  [
    'a setting on the path wins over the rules, and nodes below it inherit unless a rule decides',
    ruledVisitor.tree('/shared'),
    treeOf(expanded(ruled.shared, expanded(ruled.sharedGit))),
  ],
  [
    'the owner sees every node, not inherited where a rule decides',
    byToken(tokens.ruled).tree(),
    treeOf(
      expanded(
        ruled.root,
        expanded(ruled.git, ruled.config),
        ruled.thumbs,
        ruled.notes,
        ruled.readme,
        expanded(ruled.shared, expanded(ruled.sharedGit, ruled.x), ruled.star),
      ),
    ),
  ],
])

const top = line('', root)
const [ofPhotos, ofYear] = ['/photos', '/photos/2024']
const lineScenarios = scenariosIn(theWorld, [
  [
    "a visitor's lines are the nodes of the tree, depth first, with sizes and times of directories",
    visitor.lines('/photos/2024'),
    linesOf(
      line(ofPhotos, seen.year),
      line(ofYear, seen.beach),
      line(ofYear, seen.week),
      line(`${ofYear}/week`, seen.day),
    ),
  ],
  [
    'lines of a depth end at directories that are not expanded',
    visitor.lines('', { depth: 1, after: '/odd' }),
    linesOf(notExpanded(line('', seen.photos)), notExpanded(line('', seen.photos2)), line('', seen.readme)),
  ],
  ['the root of an area has its own line', visitor.lines('', { depth: 0 }), linesOf(notExpanded(top))],
  ['a file alone is a line, too', visitor.lines('/readme.txt'), linesOf(line('', seen.readme))],
  [
    'lines continue after a path inside a directory',
    owner.lines('/photos', { after: '/photos/2024/raw/closed.txt' }),
    linesOf(
      line(`${ofYear}/raw`, seen.open),
      line(ofYear, seen.week),
      line(`${ofYear}/week`, seen.day),
      line(ofPhotos, seen.cover),
    ),
  ],
  [
    'lines continue after a path without a node, and paths compare name by name',
    owner.lines('/photos', { after: '/photos/2024/week-end/x' }),
    linesOf(line(ofPhotos, seen.cover)),
  ],
  [
    'lines after a directory begin with its children',
    scoped.lines('/photos/2024', { after: '/photos/2024/week' }),
    linesOf(line(`${ofYear}/week`, seen.day)),
  ],
  [
    'lines after a hidden directory do not lead into it',
    visitor.lines('/photos', { after: '/photos/2024/beach.jpg' }),
    linesOf(line(ofPhotos, seen.cover)),
  ],
  ['lines after the last node are only the end', visitor.lines('/photos2', { after: '/photos2/z' }), linesOf()],
  [
    'with a pattern, lines contain only nodes whose names match, ignoring ASCII case',
    owner.lines('/photos', { name: '*O*.JPG' }),
    linesOf(line(`${ofYear}/best`, seen.one), line(ofPhotos, seen.cover)),
  ],
  [
    'lines after a private path are `permission denied`',
    visitor.lines('', { after: '/private/nothing' }),
    { error: 'permission denied' },
  ],
  [
    'lines after a path outside the requested directory are `permission denied`',
    visitor.lines('/photos', { after: '/readme.txt' }),
    { error: 'permission denied' },
  ],
  [
    'lines after a path outside the scope of a token are `permission denied`',
    scoped.lines('/photos', { after: '/photos2' }),
    { error: 'permission denied' },
  ],
  ['lines of a missing node are `file not found`', visitor.lines('/nothing'), { error: 'file not found' }],
  [
    'lines of a file with a trailing slash are `type mismatch`',
    visitor.lines('/readme.txt/'),
    { error: 'type mismatch' },
  ],
])

/** Depth, pages and triggers. */
const boundScenarios = scenariosIn(theWorld, [
  ['depth 0 returns the node alone, without content', visitor.tree('', { depth: 0 }), treeOf(root)],
  [
    'depth 1 includes the children but does not expand them',
    owner.tree('/photos', { depth: 1 }),
    treeOf(expanded(seen.photos, seen.year, seen.cover)),
  ],
  ['a depth beyond the deepest node is the whole tree', visitor.tree('/photos2', { depth: 99 }), treeOf(photos2)],
  ['a page contains the first items in byte order', visitor.items('', { limit: 2 }), listingOf(seen.empty, seen.odd)],
  [
    'the next page follows the last name of the one before',
    visitor.items('', { limit: 2, after: 'odd' }),
    listingOf(seen.photos, seen.photos2),
  ],
  [
    'the name after which a page begins need not exist',
    owner.items('', { after: 'photos2!' }),
    listingOf(seen.private, seen.readme),
  ],
  ['after the last name a page is empty', visitor.items('', { after: 'zzz' }), listingOf()],
  [
    "a trigger's value is returned unchanged, to the last digit",
    peek(triggers.doorbell),
    {
      body: '{"type":"trigger peak","value":{"type":"webhook","attempts":18446744073709551615,"nested":{"list":[1.0,null,true]}}}',
    },
  ],
  [
    'a trigger id is decoded like any segment',
    peek('t%C3%BCr%20auf'),
    { body: '{"type":"trigger peak","value":{"type":""}}' },
  ],
])

const exact: World = {
  accounts: [
    account(
      '6',
      tokens.exact,
      [],
      [file('beyond 2^53', 2n ** 53n + 1n, 2n ** 53n + 3n), file('largest', 2n ** 64n - 1n, 2n ** 64n - 1n)],
    ),
  ],
  triggers: [],
}

/** Numbers beyond any real disk. */
const exactScenarios = scenariosIn(exact, [
  [
    'sizes and times are exact to the last digit in a listing',
    byToken(tokens.exact).items(),
    {
      body:
        '{"type":"dir content","content":[' +
        '{"visibility":{"inherited":true,"visibility":"private"},"is_file":true,"name":"beyond 2^53","last_modified":9007199254740995,"size":9007199254740993},' +
        '{"visibility":{"inherited":true,"visibility":"private"},"is_file":true,"name":"largest","last_modified":18446744073709551615,"size":18446744073709551615}]}',
    },
  ],
  [
    'sizes and times are exact to the last digit in a tree',
    byToken(tokens.exact).tree('/largest'),
    {
      body: '{"type":"tree","content":{"type":"file","name":"largest","size":18446744073709551615,"last_modified":18446744073709551615,"visibility":{"inherited":true,"visibility":"private"}}}',
    },
  ],
  [
    'sizes and times are exact to the last digit in a line',
    byToken(tokens.exact).lines('/largest'),
    {
      body: '{"type":"file","path":"/largest","size":18446744073709551615,"last_modified":18446744073709551615,"visibility":{"inherited":true,"visibility":"private"}}\n{"type":"end"}\n',
    },
  ],
]).map((scenario): Scenario => ({ ...scenario, memoryOnly: true }))

/** The interface and docs/semantics.md, sentence by sentence, as requests with exact answers. */
export const scenarios: ReadonlyArray<Scenario> = [
  ...errorScenarios,
  ...pathScenarios,
  ...visibilityScenarios,
  ...ruleScenarios,
  ...lineScenarios,
  ...boundScenarios,
  ...exactScenarios,
]

const allOf = <A>(worlds: ReadonlyArray<World>, part: (world: World) => ReadonlyArray<A>): ReadonlyArray<A> =>
  [...new Set(worlds)].flatMap(part)

/**
 * Returns the worlds of all scenarios in one: ids, tokens and triggers are unique across them. `everyU64` includes the worlds
 * that no real disk can store.
 */
export const fixture = (everyU64: boolean): World => {
  const worlds = [...scenarios.filter(({ memoryOnly }) => everyU64 || memoryOnly !== true), ...httpScenarios].map(
    ({ world }) => world,
  )
  return { accounts: allOf(worlds, ({ accounts }) => accounts), triggers: allOf(worlds, ({ triggers }) => triggers) }
}
