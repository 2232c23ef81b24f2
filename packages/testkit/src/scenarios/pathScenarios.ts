import { file, type World, type WorldDirectory } from '../World.js'
import {
  byToken,
  byUser,
  fails,
  inherited,
  listingOf,
  type Scenario,
  scenariosIn,
  shownFile,
  treeOf,
} from './Scenario.js'
import { account, dir, oddNames, owner, scoped, seen, seenOdd, theWorld, tokens, visitor } from './theWorld.js'

const [readme, cover] = [treeOf(seen.readme), treeOf(seen.cover)]

const odd = (name: string) => treeOf(seenOdd[oddNames.indexOf(name)] ?? seen.odd)

/** Raw paths after the token that name no node. */
const nothing: ReadonlyArray<readonly [what: string, path: string]> = [
  ['an encoded slash alone', '/%2F'],
  ['an encoded slash at the beginning', '/%2Freadme.txt'],
  ['a doubled slash, one of them encoded,', '/photos%2F/cover.jpg'],
  ['two trailing slashes, one of them encoded,', '/photos/%2F'],
  ['two dots before an encoded slash', '/..%2Freadme.txt'],
  ['two dots between encoded slashes', '/photos%2F..%2Freadme.txt'],
  ['two encoded dots between encoded slashes', '/photos%2F%2e%2e%2Freadme.txt'],
  ['a doubled slash', '//readme.txt'],
  ['a doubled slash inside', '/photos//cover.jpg'],
  ['two trailing slashes', '/photos//'],
  ['a dot', '/./readme.txt'],
  ['two dots', '/photos/../readme.txt'],
  ['two dots that climb out', '/../1/readme.txt'],
  ['encoded dots', '/photos/%2e%2e/readme.txt'],
  ['a NUL', '/readme.txt%00'],
  ['a lone percent sign', '/%'],
  ['an escape of other digits', '/%zz'],
  ['an invalid UTF-8 sequence', '/%C3%28'],
  ['an overlong UTF-8 sequence', '/%C0%AF'],
  ['an encoded surrogate', '/%ED%A0%80'],
  ['a name of 256 bytes', `/${'n'.repeat(256)}`],
  ['a name of 128 letters of two bytes', `/${'%C3%A9'.repeat(128)}`],
  ['another case', '/README.TXT'],
]

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

const inBounds = byToken(tokens.bounds)
const ofBounds = (name: string, size: number, last_modified: number) =>
  treeOf(shownFile(name, size, last_modified, inherited('private')))

/** Raw paths are split on `/` and `%2F`, and each segment is decoded once, strictly. */
export const pathScenarios: ReadonlyArray<Scenario> = [
  ...scenariosIn(theWorld, [
    ['an escape is decoded once', owner.tree('/read%6de.txt'), readme],
    ['a token may be written with escapes', byToken(tokens.owner.replace('c', '%63')).tree('/readme.txt'), readme],
    ['a user id may be written with escapes', byUser('%31').tree('/readme.txt'), readme],
    ['raw bytes of UTF-8 are the name itself', owner.tree('/odd/%C3%A9'), odd('\u00e9')],
    ['names are not normalised: the decomposed spelling is another file', owner.tree('/odd/e%CC%81'), odd('e\u0301')],
    ['a percent sign in a name is written %25', owner.tree('/odd/%252F'), odd('%2F')],
    ['a plus in a path is a plus', owner.tree('/odd/a+b'), fails('file not found')],
    ['an encoded slash is a slash', owner.tree('/photos%2Fcover.jpg'), cover],
    [
      'a slash may be encoded in small letters too, and beside plain ones',
      visitor.items('/photos%2f2024/week'),
      listingOf(seen.day),
    ],
    [
      'an encoded slash at the end is a trailing slash',
      owner.items('/photos2%2F'),
      listingOf(seen.other, seen.withheld),
    ],
    [
      'a file with an encoded slash at the end is a type mismatch',
      owner.tree('/readme.txt%2F'),
      fails('type mismatch'),
    ],
    [
      'a visitor is denied what follows an encoded slash in a private directory',
      visitor.tree('/private%2Fdiary.txt'),
      fails('permission denied'),
    ],
    ['a scope covers what follows an encoded slash', scoped.tree('/photos%2Fcover.jpg'), cover],
    ['an encoded slash leads out of no scope', scoped.tree('/private%2Fdiary.txt'), fails('permission denied')],
  ]),
  ...scenariosIn(
    theWorld,
    nothing.map(([what, path]) => [`${what} names nothing`, owner.tree(path), fails('file not found')]),
  ),
  ...scenariosIn(theWorld, [
    ['a symbolic link to a file is not found', owner.tree('/link%20to%20readme'), fails('file not found')],
    ['a symbolic link to a directory is not found', owner.items('/link%20to%20photos'), fails('file not found')],
    ['nothing is found through a symbolic link', owner.tree('/link%20to%20photos/cover.jpg'), fails('file not found')],
    ['a FIFO is not found', owner.tree('/pipe'), fails('file not found')],
  ]),
  ...scenariosIn(bounds, [
    ['a name of 255 bytes is found', inBounds.tree(`/${longName}`), ofBounds(longName, 1, 1)],
    ['bytes are counted, not letters', inBounds.tree(`/${'%C3%A9'.repeat(127)}`), ofBounds('é'.repeat(127), 2, 2)],
    ['sizes and times go beyond 32 bits', inBounds.tree('/large'), ofBounds('large', 2 ** 40 + 1, 2 ** 32 + 1)],
    ['a path of 255 segments is found', inBounds.items(`/${deepest.join('/')}`), listingOf()],
    ['a path of 256 segments names nothing', inBounds.items(`/${deepest.join('/')}/x`), fails('file not found')],
    ['a path of 4,095 bytes is found', inBounds.items(`/${long.join('/')}`), listingOf()],
    ['a path of over 4,096 bytes names nothing', inBounds.items(`/${long.join('/')}/xx`), fails('file not found')],
  ]),
]
