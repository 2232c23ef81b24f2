import { ownerItems, ownerTree, visitorItems, visitorTree } from './asks.js'
import { dirContent, dirItem, dirNode, fileItem, fileNode, inherited, own, tree } from './json.js'
import { answers, type Scenario } from './Scenario.js'
import { oddNames, tokens, theWorld as world } from './theWorld.js'

const publicInherited = inherited('public')
const hiddenInherited = inherited('hidden')

const oddNodes = oddNames.map((name, index) => fileNode(name, index, 1000 + index, publicInherited))

const whispered = [fileNode('hint.txt', 2, 2, hiddenInherited), fileNode('said.txt', 3, 3, own('public'))]

/** Who sees what (decisions 1 to 6, 20 to 22). */
export const visibilityScenarios: ReadonlyArray<Scenario> = [
  {
    name: 'a visitor sees in a public root what inherits it, in byte order, and not what is hidden or private',
    world,
    ask: visitorItems('1'),
    answer: answers(
      dirContent(
        dirItem('empty', 100, publicInherited),
        dirItem('odd', 101, publicInherited),
        dirItem('photos', 102, publicInherited),
        dirItem('photos2', 107, publicInherited),
        fileItem('readme.txt', 14, 1700000001, publicInherited),
      ),
    ),
  },
  {
    name: 'the owner sees every node with its visibility, and no link, FIFO or undecodable name',
    world,
    ask: ownerItems(tokens.owner),
    answer: answers(
      dirContent(
        dirItem('empty', 100, publicInherited),
        dirItem('odd', 101, publicInherited),
        dirItem('photos', 102, publicInherited),
        dirItem('photos2', 107, publicInherited),
        dirItem('private', 108, own('private')),
        fileItem('readme.txt', 14, 1700000001, publicInherited),
      ),
    ),
  },
  {
    name: 'a directory set hidden is left out of its parent',
    world,
    ask: visitorItems('1', '/photos'),
    answer: answers(dirContent(fileItem('cover.jpg', 512, 1700000000, publicInherited))),
  },
  {
    name: 'a hidden directory asked for by name lists what inherits it, and keeps a second secret',
    world,
    ask: visitorItems('1', '/photos/2024'),
    answer: answers(
      dirContent(fileItem('beach.jpg', 2048, 1704067200, hiddenInherited), dirItem('week', 106, hiddenInherited)),
    ),
  },
  {
    name: 'the tree of a hidden directory is its visible subtree',
    world,
    ask: visitorTree('1', '/photos/2024'),
    answer: answers(
      tree(
        dirNode('2024', own('hidden'), [
          fileNode('beach.jpg', 2048, 1704067200, hiddenInherited),
          dirNode('week', hiddenInherited, [fileNode('day.jpg', 3, 3, hiddenInherited)]),
        ]),
      ),
    ),
  },
  {
    name: 'a second hidden directory is reached by its name',
    world,
    ask: visitorTree('1', '/photos/2024/best/'),
    answer: answers(tree(dirNode('best', own('hidden'), [fileNode('one.jpg', 1, 1, hiddenInherited)]))),
  },
  {
    name: 'a public file below a private directory is reached by its name',
    world,
    ask: visitorTree('1', '/photos/2024/raw/open.txt'),
    answer: answers(tree(fileNode('open.txt', 6, 6, own('public')))),
  },
  {
    name: 'a child may be freer than its parent',
    world,
    ask: visitorItems('1', '/private/shared'),
    answer: answers(dirContent(fileItem('note.txt', 4, 4, publicInherited))),
  },
  {
    name: 'a hidden directory below a private one is reached by its name, and shows what is public in it',
    world,
    ask: visitorTree('1', '/private/whispered'),
    answer: answers(tree(dirNode('whispered', own('hidden'), whispered))),
  },
  {
    name: "a visitor's whole tree leaves out what is below a directory that is left out",
    world,
    ask: visitorTree('1'),
    answer: answers(
      tree(
        dirNode('', own('public'), [
          dirNode('empty', publicInherited, []),
          dirNode('odd', publicInherited, oddNodes),
          dirNode('photos', publicInherited, [fileNode('cover.jpg', 512, 1700000000, publicInherited)]),
          dirNode('photos2', publicInherited, [fileNode('other.jpg', 9, 9, publicInherited)]),
          fileNode('readme.txt', 14, 1700000001, publicInherited),
        ]),
      ),
    ),
  },
  {
    name: "the owner's whole tree holds every node",
    world,
    ask: ownerTree(tokens.owner, '/'),
    answer: answers(
      tree(
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
  },
  {
    name: 'a file is a tree of its own',
    world,
    ask: visitorTree('1', '/readme.txt'),
    answer: answers(tree(fileNode('readme.txt', 14, 1700000001, publicInherited))),
  },
  {
    name: 'an empty directory has an empty listing',
    world,
    ask: visitorItems('1', '/empty'),
    answer: answers(dirContent()),
  },
  {
    name: 'without any setting the owner sees everything as private, the root not inherited',
    world,
    ask: ownerTree(tokens.closed),
    answer: answers(tree(dirNode('', own('private'), [fileNode('secret.txt', 1, 1, inherited('private'))]))),
  },
  {
    name: 'a hidden empty root answers whoever knows the id',
    world,
    ask: visitorTree('0'),
    answer: answers(tree(dirNode('', own('hidden'), []))),
  },
  {
    name: 'the largest user id is a user like any other',
    world,
    ask: visitorItems('18446744073709551615', '/'),
    answer: answers(dirContent(fileItem('last.txt', 1, 1, publicInherited))),
  },
  {
    name: 'a token with a scope reads inside it, by paths from the root of the area',
    world,
    ask: ownerItems(tokens.scoped, '/photos/'),
    answer: answers(
      dirContent(dirItem('2024', 103, own('hidden')), fileItem('cover.jpg', 512, 1700000000, publicInherited)),
    ),
  },
]
