import type { World } from '../World.js'
import { errorScenarios } from './errorScenarios.js'
import { httpScenarios } from './httpScenarios.js'
import { pathScenarios } from './pathScenarios.js'
import {
  answers,
  dirItem,
  dirNode,
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
import { account, file, oddNames, scenario, tokens, triggers } from './theWorld.js'

const publicInherited = inherited('public')
const hiddenInherited = inherited('hidden')

const oddNodes = oddNames.map((name, index) => fileNode(name, index, 1000 + index, publicInherited))

const whispered = [fileNode('hint.txt', 2, 2, hiddenInherited), fileNode('said.txt', 3, 3, own('public'))]

/** Who sees what (decisions 1 to 6, 20 to 22). */
const visibilityScenarios: ReadonlyArray<Scenario> = [
  scenario(
    'a visitor sees in a public root what inherits it, in byte order, and not what is hidden or private',
    visitorItems('1'),
    listingOf(
      dirItem('empty', 100, publicInherited),
      dirItem('odd', 101, publicInherited),
      dirItem('photos', 102, publicInherited),
      dirItem('photos2', 107, publicInherited),
      fileItem('readme.txt', 14, 1700000001, publicInherited),
    ),
  ),
  scenario(
    'the owner sees every node with its visibility, and no link, FIFO or undecodable name',
    ownerItems(tokens.owner),
    listingOf(
      dirItem('empty', 100, publicInherited),
      dirItem('odd', 101, publicInherited),
      dirItem('photos', 102, publicInherited),
      dirItem('photos2', 107, publicInherited),
      dirItem('private', 108, own('private')),
      fileItem('readme.txt', 14, 1700000001, publicInherited),
    ),
  ),
  scenario(
    'a directory set hidden is left out of its parent',
    visitorItems('1', '/photos'),
    listingOf(fileItem('cover.jpg', 512, 1700000000, publicInherited)),
  ),
  scenario(
    'a hidden directory asked for by name lists what inherits it, and keeps a second secret',
    visitorItems('1', '/photos/2024'),
    listingOf(fileItem('beach.jpg', 2048, 1704067200, hiddenInherited), dirItem('week', 106, hiddenInherited)),
  ),
  scenario(
    'the tree of a hidden directory is its visible subtree',
    visitorTree('1', '/photos/2024'),
    treeOf(
      dirNode('2024', own('hidden'), [
        fileNode('beach.jpg', 2048, 1704067200, hiddenInherited),
        dirNode('week', hiddenInherited, [fileNode('day.jpg', 3, 3, hiddenInherited)]),
      ]),
    ),
  ),
  scenario(
    'a second hidden directory is reached by its name',
    visitorTree('1', '/photos/2024/best/'),
    treeOf(dirNode('best', own('hidden'), [fileNode('one.jpg', 1, 1, hiddenInherited)])),
  ),
  scenario(
    'a public file below a private directory is reached by its name',
    visitorTree('1', '/photos/2024/raw/open.txt'),
    treeOf(fileNode('open.txt', 6, 6, own('public'))),
  ),
  scenario(
    'a child may be freer than its parent',
    visitorItems('1', '/private/shared'),
    listingOf(fileItem('note.txt', 4, 4, publicInherited)),
  ),
  scenario(
    'a hidden directory below a private one is reached by its name, and shows what is public in it',
    visitorTree('1', '/private/whispered'),
    treeOf(dirNode('whispered', own('hidden'), whispered)),
  ),
  scenario(
    "a visitor's whole tree leaves out what is below a directory that is left out",
    visitorTree('1'),
    treeOf(
      dirNode('', own('public'), [
        dirNode('empty', publicInherited, []),
        dirNode('odd', publicInherited, oddNodes),
        dirNode('photos', publicInherited, [fileNode('cover.jpg', 512, 1700000000, publicInherited)]),
        dirNode('photos2', publicInherited, [fileNode('other.jpg', 9, 9, publicInherited)]),
        fileNode('readme.txt', 14, 1700000001, publicInherited),
      ]),
    ),
  ),
  scenario(
    "the owner's whole tree holds every node",
    ownerTree(tokens.owner, '/'),
    treeOf(
      dirNode('', own('public'), [
        dirNode('empty', publicInherited, []),
        dirNode('odd', publicInherited, oddNodes),
        dirNode('photos', publicInherited, [
          dirNode('2024', own('hidden'), [
            fileNode('beach.jpg', 2048, 1704067200, hiddenInherited),
            dirNode('best', own('hidden'), [fileNode('one.jpg', 1, 1, hiddenInherited)]),
            dirNode('raw', own('private'), [
              fileNode('closed.txt', 7, 7, inherited('private')),
              fileNode('open.txt', 6, 6, own('public')),
            ]),
            dirNode('week', hiddenInherited, [fileNode('day.jpg', 3, 3, hiddenInherited)]),
          ]),
          fileNode('cover.jpg', 512, 1700000000, publicInherited),
        ]),
        dirNode('photos2', publicInherited, [fileNode('other.jpg', 9, 9, publicInherited)]),
        dirNode('private', own('private'), [
          fileNode('diary.txt', 5, 5, inherited('private')),
          dirNode('shared', own('public'), [fileNode('note.txt', 4, 4, publicInherited)]),
          dirNode('whispered', own('hidden'), whispered),
        ]),
        fileNode('readme.txt', 14, 1700000001, publicInherited),
      ]),
    ),
  ),
  scenario(
    'a file is a tree of its own',
    visitorTree('1', '/readme.txt'),
    treeOf(fileNode('readme.txt', 14, 1700000001, publicInherited)),
  ),
  scenario('an empty directory has an empty listing', visitorItems('1', '/empty'), listingOf()),
  scenario(
    'without any setting the owner sees everything as private, the root not inherited',
    ownerTree(tokens.closed),
    treeOf(dirNode('', own('private'), [fileNode('secret.txt', 1, 1, inherited('private'))])),
  ),
  scenario(
    'a hidden empty root answers anyone who knows the id',
    visitorTree('0'),
    treeOf(dirNode('', own('hidden'), [])),
  ),
  scenario(
    'the largest user id is a user like any other',
    visitorItems('18446744073709551615', '/'),
    listingOf(fileItem('last.txt', 1, 1, publicInherited)),
  ),
  scenario(
    'a token with a scope reads inside it, by paths from the root of the area',
    ownerItems(tokens.scoped, '/photos/'),
    listingOf(dirItem('2024', 103, own('hidden')), fileItem('cover.jpg', 512, 1700000000, publicInherited)),
  ),
]

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

const scenarioInExact = scenarioIn(exact)

/** Depth, pages, exact numbers and triggers (decisions 20, 23, 24 and 26). */
const boundScenarios: ReadonlyArray<Scenario> = [
  scenario(
    'depth 0 is the node alone: no content means not expanded',
    visitorTree('1', '', { depth: 0 }),
    treeOf(dirNode('', own('public'))),
  ),
  scenario(
    'depth 1 holds the children, their own children not expanded',
    ownerTree(tokens.owner, '/photos', { depth: 1 }),
    treeOf(
      dirNode('photos', publicInherited, [
        dirNode('2024', own('hidden')),
        fileNode('cover.jpg', 512, 1700000000, publicInherited),
      ]),
    ),
  ),
  scenario(
    'a depth beyond the deepest node is the whole tree',
    visitorTree('1', '/photos2', { depth: 99 }),
    treeOf(dirNode('photos2', publicInherited, [fileNode('other.jpg', 9, 9, publicInherited)])),
  ),
  scenario(
    'a page holds the first items in byte order',
    visitorItems('1', '', { limit: 2 }),
    listingOf(dirItem('empty', 100, publicInherited), dirItem('odd', 101, publicInherited)),
  ),
  scenario(
    'the next page follows the last name of the one before',
    visitorItems('1', '', { limit: 2, after: 'odd' }),
    listingOf(dirItem('photos', 102, publicInherited), dirItem('photos2', 107, publicInherited)),
  ),
  scenario(
    'the name after which a page begins need not exist',
    ownerItems(tokens.owner, '', { after: 'photos2!' }),
    listingOf(dirItem('private', 108, own('private')), fileItem('readme.txt', 14, 1700000001, publicInherited)),
  ),
  scenario('after the last name a page is empty', visitorItems('1', '', { after: 'zzz' }), listingOf()),
  {
    ...scenarioInExact(
      'sizes and times are exact to the last digit in a listing',
      ownerItems(tokens.exact),
      answers(
        '{"type":"dir content","content":[' +
          '{"visibility":{"inherited":true,"visibility":"private"},"is_file":true,"name":"beyond 2^53","last_modified":9007199254740995,"size":9007199254740993},' +
          '{"visibility":{"inherited":true,"visibility":"private"},"is_file":true,"name":"largest","last_modified":18446744073709551615,"size":18446744073709551615}]}',
      ),
    ),
    memoryOnly: true,
  },
  {
    ...scenarioInExact(
      'sizes and times are exact to the last digit in a tree',
      ownerTree(tokens.exact, '/largest'),
      answers(
        '{"type":"tree","content":{"type":"file","name":"largest","size":18446744073709551615,"last_modified":18446744073709551615,"visibility":{"inherited":true,"visibility":"private"}}}',
      ),
    ),
    memoryOnly: true,
  },
  scenario(
    'a trigger is passed on as it is, to the last digit',
    peek(triggers.doorbell),
    answers(
      '{"type":"trigger peak","value":{"type":"webhook","attempts":18446744073709551615,"nested":{"list":[1.0,null,true]}}}',
    ),
  ),
  scenario(
    'a trigger id is decoded like any segment',
    peek('t%C3%BCr%20auf'),
    answers('{"type":"trigger peak","value":{"type":""}}'),
  ),
]

/** The interface and the decisions, sentence by sentence, as questions and exact answers. */
export const scenarios: ReadonlyArray<Scenario> = [
  ...errorScenarios,
  ...pathScenarios,
  ...visibilityScenarios,
  ...boundScenarios,
]

const allOf = <A>(worlds: ReadonlyArray<World>, part: (world: World) => ReadonlyArray<A>): ReadonlyArray<A> =>
  [...new Set(worlds)].flatMap(part)

/**
 * The worlds of all scenarios as one, to be seeded once: their accounts, tokens and triggers are distinguished by their
 * own ids. `everyU64` takes in what no real disk can hold.
 */
export const fixture = (everyU64: boolean): World => {
  const worlds = [...scenarios.filter(({ memoryOnly }) => everyU64 || memoryOnly !== true), ...httpScenarios].map(
    ({ world }) => world,
  )
  return { accounts: allOf(worlds, ({ accounts }) => accounts), triggers: allOf(worlds, ({ triggers }) => triggers) }
}
