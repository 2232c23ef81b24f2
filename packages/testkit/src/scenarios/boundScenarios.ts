import { ownerItems, ownerTree, peek, visitorItems, visitorTree } from '../Ask.js'
import type { World } from '../World.js'
import { dirItem, dirNode, fileItem, fileNode, inherited, listingOf, own, treeOf } from './json.js'
import { answers, type Scenario, scenarioIn } from './Scenario.js'
import { account, file, scenario, tokens, triggers } from './theWorld.js'

const publicInherited = inherited('public')

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
export const boundScenarios: ReadonlyArray<Scenario> = [
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
