import type { World, WorldDirectory } from '../World.js'
import {
  answers,
  fails,
  fileItem,
  fileNode,
  inherited,
  listingOf,
  ownerItems,
  ownerTree,
  type Scenario,
  scenarioIn,
  treeOf,
  visitorItems,
  visitorTree,
} from './Scenario.js'
import { account, dir, file, oddNames, scenario, tokens } from './theWorld.js'

const readme = treeOf(fileNode('readme.txt', 14, 1700000001, inherited('public')))

const named = (name: string, path: string): Scenario =>
  scenario(`${name} names nothing`, ownerTree(tokens.owner, path), fails('file not found'))

const longName = 'n'.repeat(255)
const deepest = Array.from({ length: 255 }, (_, index) => `d${index % 10}`)
const long = Array.from({ length: 16 }, () => 'l'.repeat(255)) // 16 × 255 bytes and 15 slashes: 4,095

const chain = (names: ReadonlyArray<string>): ReadonlyArray<WorldDirectory> =>
  names.reduceRight<ReadonlyArray<WorldDirectory>>((content, name) => [{ ...dir(name, 1), content }], [])

const bounds: World = {
  accounts: [
    account(
      '5',
      tokens.bounds,
      [],
      [
        file(longName, 1, 1),
        file('é'.repeat(127), 2, 2),
        file('large', 2n ** 40n + 1n, 2n ** 32n + 1n),
        ...chain(deepest),
        ...chain(long),
      ],
    ),
  ],
  triggers: [],
}

const scenarioInBounds = scenarioIn(bounds)

/** The path of a request: raw, split on `/` and `%2F`, each segment decoded once, strictly (decisions 12 to 16). */
export const pathScenarios: ReadonlyArray<Scenario> = [
  scenario('an escape is decoded once', ownerTree(tokens.owner, '/read%6de.txt'), readme),
  scenario('a token may be written with escapes', ownerTree(tokens.owner.replace('c', '%63'), '/readme.txt'), readme),
  scenario('a user id may be written with escapes', visitorTree('%31', '/readme.txt'), readme),
  scenario(
    'raw bytes of UTF-8 are the name itself',
    ownerTree(tokens.owner, '/odd/%C3%A9'),
    treeOf(fileNode('\u00e9', oddNames.indexOf('\u00e9'), 1000 + oddNames.indexOf('\u00e9'), inherited('public'))),
  ),
  scenario(
    'names are not normalised: the decomposed spelling is another file',
    ownerTree(tokens.owner, '/odd/e%CC%81'),
    treeOf(fileNode('e\u0301', oddNames.indexOf('e\u0301'), 1000 + oddNames.indexOf('e\u0301'), inherited('public'))),
  ),
  scenario(
    'a percent sign in a name is written %25',
    ownerTree(tokens.owner, '/odd/%252F'),
    treeOf(fileNode('%2F', oddNames.indexOf('%2F'), 1000 + oddNames.indexOf('%2F'), inherited('public'))),
  ),
  scenario('a plus in a path is a plus', ownerTree(tokens.owner, '/odd/a+b'), fails('file not found')),
  scenario(
    'an encoded slash is a slash',
    ownerTree(tokens.owner, '/photos%2Fcover.jpg'),
    treeOf(fileNode('cover.jpg', 512, 1700000000, inherited('public'))),
  ),
  scenario(
    'a slash may be encoded in small letters too, and beside plain ones',
    visitorItems('1', '/photos%2f2024/week'),
    listingOf(fileItem('day.jpg', 3, 3, inherited('hidden'))),
  ),
  scenario(
    'an encoded slash at the end is a trailing slash',
    ownerItems(tokens.owner, '/photos2%2F'),
    listingOf(fileItem('other.jpg', 9, 9, inherited('public'))),
  ),
  scenario(
    'a file with an encoded slash at the end is a type mismatch',
    ownerTree(tokens.owner, '/readme.txt%2F'),
    fails('type mismatch'),
  ),
  scenario(
    'a visitor is denied what is behind an encoded slash in a private directory',
    visitorTree('1', '/private%2Fdiary.txt'),
    fails('permission denied'),
  ),
  scenario(
    'a scope covers what is behind an encoded slash',
    ownerTree(tokens.scoped, '/photos%2Fcover.jpg'),
    treeOf(fileNode('cover.jpg', 512, 1700000000, inherited('public'))),
  ),
  scenario(
    'an encoded slash leads out of no scope',
    ownerTree(tokens.scoped, '/private%2Fdiary.txt'),
    fails('permission denied'),
  ),
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
  scenario(
    'a symbolic link to a file is not found',
    ownerTree(tokens.owner, '/link%20to%20readme'),
    fails('file not found'),
  ),
  scenario(
    'a symbolic link to a directory is not found',
    ownerItems(tokens.owner, '/link%20to%20photos'),
    fails('file not found'),
  ),
  scenario(
    'nothing is found through a symbolic link',
    ownerTree(tokens.owner, '/link%20to%20photos/cover.jpg'),
    fails('file not found'),
  ),
  scenario('a FIFO is not found', ownerTree(tokens.owner, '/pipe'), fails('file not found')),
  scenarioInBounds(
    'a name of 255 bytes is found',
    ownerTree(tokens.bounds, `/${longName}`),
    treeOf(fileNode(longName, 1, 1, inherited('private'))),
  ),
  scenarioInBounds(
    'bytes are counted, not letters',
    ownerTree(tokens.bounds, `/${'%C3%A9'.repeat(127)}`),
    treeOf(fileNode('é'.repeat(127), 2, 2, inherited('private'))),
  ),
  scenarioInBounds(
    'sizes and times go beyond 32 bits',
    ownerTree(tokens.bounds, '/large'),
    treeOf(fileNode('large', 2 ** 40 + 1, 2 ** 32 + 1, inherited('private'))),
  ),
  scenarioInBounds(
    'a path of 255 segments is found',
    ownerItems(tokens.bounds, `/${deepest.join('/')}`),
    answers('{"type":"dir content","content":[]}'),
  ),
  scenarioInBounds(
    'a path of 256 segments names nothing',
    ownerItems(tokens.bounds, `/${deepest.join('/')}/x`),
    fails('file not found'),
  ),
  scenarioInBounds(
    'a path of 4,095 bytes is found',
    ownerItems(tokens.bounds, `/${long.join('/')}`),
    answers('{"type":"dir content","content":[]}'),
  ),
  scenarioInBounds(
    'a path of over 4,096 bytes names nothing',
    ownerItems(tokens.bounds, `/${long.join('/')}/xx`),
    fails('file not found'),
  ),
]
