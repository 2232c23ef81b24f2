import type { World, WorldDirectory } from '../World.js'
import { ownerItems, ownerTree, visitorItems, visitorTree } from './asks.js'
import { dirContent, fileItem, fileNode, inherited, tree } from './json.js'
import { answers, fails, type Scenario } from './Scenario.js'
import { dir, file, oddNames, tokens, theWorld as world } from './theWorld.js'

const readme = answers(tree(fileNode('readme.txt', 14, 1700000001, inherited('public'))))

const named = (name: string, path: string): Scenario => ({
  name: `${name} names nothing`,
  world,
  ask: ownerTree(tokens.owner, path),
  answer: fails('file not found'),
})

const longName = 'n'.repeat(255)
const deepest = Array.from({ length: 255 }, (_, index) => `d${index % 10}`)
const long = Array.from({ length: 16 }, () => 'l'.repeat(255)) // 16 × 255 bytes and 15 slashes: 4,095

const chain = (names: ReadonlyArray<string>): ReadonlyArray<WorldDirectory> =>
  names.reduceRight<ReadonlyArray<WorldDirectory>>((content, name) => [{ ...dir(name, 1), content }], [])

const bounds: World = {
  accounts: [
    {
      id: '5',
      verified: true,
      tokens: [{ token: tokens.bounds, scope: '/', state: 'valid' }],
      settings: [],
      area: [
        file(longName, 1, 1),
        file('é'.repeat(127), 2, 2),
        file('large', 2n ** 40n + 1n, 2n ** 32n + 1n),
        ...chain(deepest),
        ...chain(long),
      ],
    },
  ],
  triggers: [],
}

/** The path of a request: raw, split on `/` and `%2F`, each segment decoded once, strictly (decisions 12 to 16). */
export const pathScenarios: ReadonlyArray<Scenario> = [
  { name: 'an escape is decoded once', world, ask: ownerTree(tokens.owner, '/read%6de.txt'), answer: readme },
  {
    name: 'a token may be written with escapes',
    world,
    ask: ownerTree(tokens.owner.replace('c', '%63'), '/readme.txt'),
    answer: readme,
  },
  { name: 'a user id may be written with escapes', world, ask: visitorTree('%31', '/readme.txt'), answer: readme },
  {
    name: 'raw bytes of UTF-8 are the name itself',
    world,
    ask: ownerTree(tokens.owner, '/odd/%C3%A9'),
    answer: answers(
      tree(fileNode('\u00e9', oddNames.indexOf('\u00e9'), 1000 + oddNames.indexOf('\u00e9'), inherited('public'))),
    ),
  },
  {
    name: 'names are not normalised: the decomposed spelling is another file',
    world,
    ask: ownerTree(tokens.owner, '/odd/e%CC%81'),
    answer: answers(
      tree(fileNode('e\u0301', oddNames.indexOf('e\u0301'), 1000 + oddNames.indexOf('e\u0301'), inherited('public'))),
    ),
  },
  {
    name: 'a percent sign in a name is written %25',
    world,
    ask: ownerTree(tokens.owner, '/odd/%252F'),
    answer: answers(
      tree(fileNode('%2F', oddNames.indexOf('%2F'), 1000 + oddNames.indexOf('%2F'), inherited('public'))),
    ),
  },
  {
    name: 'a plus in a path is a plus',
    world,
    ask: ownerTree(tokens.owner, '/odd/a+b'),
    answer: fails('file not found'),
  },
  {
    name: 'an encoded slash is a slash',
    world,
    ask: ownerTree(tokens.owner, '/photos%2Fcover.jpg'),
    answer: answers(tree(fileNode('cover.jpg', 512, 1700000000, inherited('public')))),
  },
  {
    name: 'a slash may be encoded in small letters too, and beside plain ones',
    world,
    ask: visitorItems('1', '/photos%2f2024/week'),
    answer: answers(dirContent(fileItem('day.jpg', 3, 3, inherited('hidden')))),
  },
  {
    name: 'an encoded slash at the end is a trailing slash',
    world,
    ask: ownerItems(tokens.owner, '/photos2%2F'),
    answer: answers(dirContent(fileItem('other.jpg', 9, 9, inherited('public')))),
  },
  {
    name: 'a file with an encoded slash at the end is a type mismatch',
    world,
    ask: ownerTree(tokens.owner, '/readme.txt%2F'),
    answer: fails('type mismatch'),
  },
  {
    name: 'a visitor is denied what is behind an encoded slash in a private directory',
    world,
    ask: visitorTree('1', '/private%2Fdiary.txt'),
    answer: fails('permission denied'),
  },
  {
    name: 'a scope covers what is behind an encoded slash',
    world,
    ask: ownerTree(tokens.scoped, '/photos%2Fcover.jpg'),
    answer: answers(tree(fileNode('cover.jpg', 512, 1700000000, inherited('public')))),
  },
  {
    name: 'an encoded slash leads out of no scope',
    world,
    ask: ownerTree(tokens.scoped, '/private%2Fdiary.txt'),
    answer: fails('permission denied'),
  },
  named('an encoded slash alone', '/%2F'),
  named('an encoded slash at the beginning', '/%2Freadme.txt'),
  named('a doubled slash, one of them encoded,', '/photos%2F/cover.jpg'),
  named('two trailing slashes, one of them encoded,', '/photos/%2F'),
  named('two dots before an encoded slash', '/..%2Freadme.txt'),
  named('two dots between encoded slashes', '/photos%2F..%2Freadme.txt'),
  named('two encoded dots between encoded slashes', '/photos%2F%2e%2e%2Freadme.txt'),
  named('a doubled slash', '//readme.txt'),
  named('a doubled slash inside', '/photos//cover.jpg'),
  named('two trailing slashes', '/photos//'),
  named('a dot', '/./readme.txt'),
  named('two dots', '/photos/../readme.txt'),
  named('two dots that climb out', '/../1/readme.txt'),
  named('encoded dots', '/photos/%2e%2e/readme.txt'),
  named('a NUL', '/readme.txt%00'),
  named('a lone percent sign', '/%'),
  named('an escape of other digits', '/%zz'),
  named('an invalid UTF-8 sequence', '/%C3%28'),
  named('an overlong UTF-8 sequence', '/%C0%AF'),
  named('an encoded surrogate', '/%ED%A0%80'),
  named('a name of 256 bytes', `/${'n'.repeat(256)}`),
  named('a name of 128 letters of two bytes', `/${'%C3%A9'.repeat(128)}`),
  named('another case', '/README.TXT'),
  {
    name: 'a symbolic link to a file is not found',
    world,
    ask: ownerTree(tokens.owner, '/link%20to%20readme'),
    answer: fails('file not found'),
  },
  {
    name: 'a symbolic link to a directory is not found',
    world,
    ask: ownerItems(tokens.owner, '/link%20to%20photos'),
    answer: fails('file not found'),
  },
  {
    name: 'nothing is found through a symbolic link',
    world,
    ask: ownerTree(tokens.owner, '/link%20to%20photos/cover.jpg'),
    answer: fails('file not found'),
  },
  { name: 'a FIFO is not found', world, ask: ownerTree(tokens.owner, '/pipe'), answer: fails('file not found') },
  {
    name: 'a name of 255 bytes is found',
    world: bounds,
    ask: ownerTree(tokens.bounds, `/${longName}`),
    answer: answers(tree(fileNode(longName, 1, 1, inherited('private')))),
  },
  {
    name: 'bytes are counted, not letters',
    world: bounds,
    ask: ownerTree(tokens.bounds, `/${'%C3%A9'.repeat(127)}`),
    answer: answers(tree(fileNode('é'.repeat(127), 2, 2, inherited('private')))),
  },
  {
    name: 'sizes and times go beyond 32 bits',
    world: bounds,
    ask: ownerTree(tokens.bounds, '/large'),
    answer: answers(tree(fileNode('large', 2 ** 40 + 1, 2 ** 32 + 1, inherited('private')))),
  },
  {
    name: 'a path of 255 segments is found',
    world: bounds,
    ask: ownerItems(tokens.bounds, `/${deepest.join('/')}`),
    answer: answers('{"type":"dir content","content":[]}'),
  },
  {
    name: 'a path of 256 segments names nothing',
    world: bounds,
    ask: ownerItems(tokens.bounds, `/${deepest.join('/')}/x`),
    answer: fails('file not found'),
  },
  {
    name: 'a path of 4,095 bytes is found',
    world: bounds,
    ask: ownerItems(tokens.bounds, `/${long.join('/')}`),
    answer: answers('{"type":"dir content","content":[]}'),
  },
  {
    name: 'a path of over 4,096 bytes names nothing',
    world: bounds,
    ask: ownerItems(tokens.bounds, `/${long.join('/')}/xx`),
    answer: fails('file not found'),
  },
]
