import type { World } from '../World.js'
import { ownerItems, ownerTree, peek, visitorItems, visitorTree } from './asks.js'
import { dirContent, dirItem, dirNode, fileItem, fileNode, inherited, own, tree } from './json.js'
import { answers, type Scenario } from './Scenario.js'
import { file, tokens, triggers, theWorld as world } from './theWorld.js'

const publicInherited = inherited('public')

const exact: World = {
  accounts: [
    {
      id: '6',
      verified: true,
      tokens: [{ token: tokens.exact, scope: '/', state: 'valid' }],
      settings: [],
      area: [file('beyond 2^53', 2n ** 53n + 1n, 2n ** 53n + 3n), file('largest', 2n ** 64n - 1n, 2n ** 64n - 1n)],
    },
  ],
  triggers: [],
}

/** Depth, pages, exact numbers and triggers (decisions 20, 23, 24 and 26). */
export const boundScenarios: ReadonlyArray<Scenario> = [
  {
    name: 'depth 0 is the node alone: no content means not expanded',
    world,
    ask: visitorTree('1', '', { depth: 0 }),
    answer: answers(tree(dirNode('', own('public')))),
  },
  {
    name: 'depth 1 holds the children, their own children not expanded',
    world,
    ask: ownerTree(tokens.owner, '/photos', { depth: 1 }),
    answer: answers(
      tree(
        dirNode('photos', publicInherited, [
          dirNode('2024', own('hidden')),
          fileNode('cover.jpg', 512, 1700000000, publicInherited),
        ]),
      ),
    ),
  },
  {
    name: 'a depth beyond the deepest node is the whole tree',
    world,
    ask: visitorTree('1', '/photos2', { depth: 99 }),
    answer: answers(tree(dirNode('photos2', publicInherited, [fileNode('other.jpg', 9, 9, publicInherited)]))),
  },
  {
    name: 'a page holds the first items in byte order',
    world,
    ask: visitorItems('1', '', { limit: 2 }),
    answer: answers(dirContent(dirItem('empty', 100, publicInherited), dirItem('odd', 101, publicInherited))),
  },
  {
    name: 'the next page follows the last name of the one before',
    world,
    ask: visitorItems('1', '', { limit: 2, after: 'odd' }),
    answer: answers(dirContent(dirItem('photos', 102, publicInherited), dirItem('photos2', 107, publicInherited))),
  },
  {
    name: 'the name after which a page begins need not exist',
    world,
    ask: ownerItems(tokens.owner, '', { after: 'photos2!' }),
    answer: answers(
      dirContent(dirItem('private', 108, own('private')), fileItem('readme.txt', 14, 1700000001, publicInherited)),
    ),
  },
  {
    name: 'after the last name a page is empty',
    world,
    ask: visitorItems('1', '', { after: 'zzz' }),
    answer: answers(dirContent()),
  },
  {
    name: 'sizes and times are exact to the last digit in a listing',
    world: exact,
    memoryOnly: true,
    ask: ownerItems(tokens.exact),
    answer: answers(
      '{"type":"dir content","content":[' +
        '{"visibility":{"inherited":true,"visibility":"private"},"is_file":true,"name":"beyond 2^53","last_modified":9007199254740995,"size":9007199254740993},' +
        '{"visibility":{"inherited":true,"visibility":"private"},"is_file":true,"name":"largest","last_modified":18446744073709551615,"size":18446744073709551615}]}',
    ),
  },
  {
    name: 'sizes and times are exact to the last digit in a tree',
    world: exact,
    memoryOnly: true,
    ask: ownerTree(tokens.exact, '/largest'),
    answer: answers(
      '{"type":"tree","content":{"type":"file","name":"largest","size":18446744073709551615,"last_modified":18446744073709551615,"visibility":{"inherited":true,"visibility":"private"}}}',
    ),
  },
  {
    name: 'a trigger is passed on as it is, to the last digit',
    world,
    ask: peek(triggers.doorbell),
    answer: answers(
      '{"type":"trigger peak","value":{"type":"webhook","attempts":18446744073709551615,"nested":{"list":[1.0,null,true]}}}',
    ),
  },
  {
    name: 'a trigger id is decoded like any segment',
    world,
    ask: peek('t%C3%BCr%20auf'),
    answer: answers('{"type":"trigger peak","value":{"type":""}}'),
  },
]
