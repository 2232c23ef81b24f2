import { oddNames } from '../arbitraries/names.js'
import { seeding } from '../seed.js'
import type {
  SeededStorage,
  SeedStorage,
  WorldAccount,
  WorldDirectory,
  WorldFile,
  WorldNode,
  WorldOther,
} from '../World.js'
import * as World from '../World.js'
import { type Claim, concurrently, type Law, quoteName, violationsOf, withTimeout } from './Law.js'
import {
  bothFail,
  cancellationChangesNothing,
  externalHasACause,
  inTheOther,
  listFails,
  listingAgreesWithNodeAt,
  listingStays,
  lists,
  listsAsAnArrayDoes,
  listsOrFails,
  nodeAtIs,
  nodeAtIsADirectory,
  nodeAtIsIfThere,
  nodeAtIsOrFails,
  ofAnotherOwner,
  pagesJoin,
  parentChangesNothing,
  type StorageClaim,
} from './storageClaims.js'

const someTime = 1_700_000_000n

const file = (name: string, size = 0n, last_modified = someTime) => World.file(name, size, last_modified)

const dir = (name: string, content: ReadonlyArray<WorldNode> = [], last_modified = someTime): WorldDirectory => ({
  ...World.dir(name, ...content),
  last_modified,
})

const link = (name: string, target: string): WorldOther => ({ type: 'link', name, target })
const fifo = (name: string): WorldOther => ({ type: 'fifo', name })
const undecodable = (name: string): WorldOther => ({ type: 'undecodable', name })

/** Checks all claims in an area with these nodes, beside another area. */
export const storageLaw = <Storage extends SeededStorage = SeededStorage>(
  name: string,
  nodes: WorldAccount['area'],
  claims: ReadonlyArray<Claim<Storage>>,
  otherNodes: WorldAccount['area'] = [],
): Law<SeedStorage<Storage>> => ({
  name,
  violations: async (seed) => {
    const seeded = await seeding(`the law "${name}"`, () => seed(nodes, otherNodes))
    try {
      const nodeAt = withTimeout(seeded.ports.nodeAt, (_, path) => `nodeAt ${quoteName(path)}`)
      const list = withTimeout(seeded.ports.list, (_, path) => `list ${quoteName(path)}`)
      return await violationsOf(claims, { ...seeded, ports: { nodeAt, list } })
    } finally {
      await seeded.close()
    }
  },
})

/** In each other order (UTF-16, case-blind, by separator, by number, directories first) these names are sorted differently. */
const orderly = ['a', 'a-b', 'a.', 'a0', 'ab', 'B', 'b', '10', '9', '\u00e9', 'z', '\uff5e', '\u{1f600}']
const unordered = orderly.map((name, i) => (i % 3 === 0 ? dir(name, [file('b')]) : file(name)))

const family = [file('b', 2n), dir('a', [file('b', 3n), dir('c', [file('d')])]), file('ab', 4n), dir('none')]
const oddFiles = oddNames.map((name, i) => file(name, BigInt(i)))
const oddDirectories = oddNames.map((name) => dir(name, [file(name)]))

/** More files, and more directories, than fit into a page of an object store. */
const many = Array.from({ length: 2_200 }, (_, i) => (i % 2 === 0 ? file(`n${i}`) : dir(`n${i}`)))

const mine = [file('f', 1n), dir('a', [file('mine', 2n)])]
const theirs = [file('f', 9n), dir('a', [file('theirs', 3n)])]

/** Claims that distinguish the two areas. */
const eachHasItsOwn = [
  lists('/', mine),
  inTheOther(lists('/', theirs)),
  lists('/a', [file('mine', 2n)]),
  inTheOther(lists('/a', [file('theirs', 3n)])),
  nodeAtIs('/f', file('f', 1n)),
  inTheOther(nodeAtIs('/f', file('f', 9n))),
  ...bothFail('file not found', '/a/mine').map(inTheOther),
]

const levels = Array.from({ length: 250 }, (_, i) => `${i % 10}`)
const deep = levels.reduceRight((below, name) => dir(name, [below, file('beside')]), dir('bottom', [file('f', 7n)]))
const deepPath = `/${levels.join('/')}/bottom`

/** The range of times that a storage keeps to the second, in seconds since 1970. Contains the current time. */
export interface StorageRange {
  readonly earliest: bigint
  readonly latest: bigint
  /** The largest size that the seed can store, in bytes. By default a file of more than 4 GiB may be missing. */
  readonly largestSize?: bigint
}

const filesWithin = ({ earliest, latest }: StorageRange): ReadonlyArray<WorldFile> => [
  file('empty'),
  file('one', 1n, earliest),
  file('old', 5_000n, earliest + 1n),
  file('late', 123_457n, latest),
]

const directoriesWithin = ({ earliest, latest }: StorageRange): ReadonlyArray<WorldDirectory> => [
  dir('d', [dir('e', [], earliest + 17n)], earliest),
  dir('late', [file('f')], latest),
]

const nodesAre = (directory: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<StorageClaim> =>
  nodes.flatMap((node) => {
    const path = `${directory}/${node.name}`
    if (node.type === 'file') return [nodeAtIs(path, node)]
    return node.type === 'dir' ? [nodeAtIs(path, node), ...nodesAre(path, node.content)] : []
  })

/** Claims that `nodeAt` returns each of these nodes and the nodes below them. */
const nodesLaw = (name: string, nodes: ReadonlyArray<WorldNode>): Law<SeedStorage> =>
  storageLaw(name, nodes, nodesAre('', nodes))

/** Needs more than 32 bits. */
const huge = file('huge', 4_294_967_297n)

const sizesLaw = (largestSize: bigint | undefined): Law<SeedStorage> => {
  const largest = file('largest', largestSize)
  const files = largestSize === undefined ? [huge] : [largest, file('next', largestSize - 1n)]
  const claims = largestSize === undefined ? [nodeAtIsIfThere('/huge', huge)] : nodesAre('', files)
  return storageLaw('sizes up to the largest are exact to the byte', files, claims)
}

const atLinks = '/to-a /to-a/b /to-a/c /to-a/c/d /to-b /to-b/x /away /away/tmp /round /round/x /lost /lost/x'.split(' ')

/** Laws that need no particular time. */
const lawsForAllTimes: ReadonlyArray<Law<SeedStorage>> = [
  storageLaw('the root of an area is a directory', [file('f')], [nodeAtIsADirectory('/')]),
  storageLaw('the root of an empty area is an empty directory', [], [nodeAtIsADirectory('/'), lists('/', [])]),
  storageLaw('a listing holds everything directly in the directory, and nothing else', family, [
    lists('/', family),
    lists('/a', [file('b', 3n), dir('c')]),
    lists('/a/c', [file('d')]),
  ]),
  storageLaw('a listing is whole, however many entries it has', many, [lists('/', many)]),
  storageLaw(
    'entries of a listing are an array, or answer as one does',
    [...unordered, dir('many', many)],
    [listsAsAnArrayDoes('/'), listsAsAnArrayDoes('/a'), listsAsAnArrayDoes('/many')],
  ),
  storageLaw(
    'an area is where its location says',
    mine,
    [...eachHasItsOwn, ofAnotherOwner(lists('/', mine)), ofAnotherOwner(nodeAtIs('/f', file('f', 1n)))],
    theirs,
  ),
  storageLaw('what is asked at once is answered as one after the other', mine, [concurrently(eachHasItsOwn)], theirs),
  storageLaw('a listing is in byte order of the names', unordered, [lists('/', unordered)]),
  storageLaw(
    'pages join to the whole directory',
    [...unordered, dir('many', many)],
    [
      ...[1, 2, 5, 1_000].map((minEntries) => pagesJoin('/', { minEntries })),
      ...['', 'a', 'a-', 'a-b', 'zz', '\u{1f600}'].map((after) => pagesJoin('/', { after, minEntries: 2 })),
      pagesJoin('/many', { after: 'n1', minEntries: 700 }),
    ],
  ),
  storageLaw('`parent` does not change a listing', family, [
    parentChangesNothing('/'),
    parentChangesNothing('/a', '/'),
    parentChangesNothing('/a/c', '/a'),
    parentChangesNothing('/missing', '/'),
    parentChangesNothing('/b', '/'),
  ]),
  storageLaw(
    'a cancelled listing changes no other one',
    [...family, dir('many', many)],
    [cancellationChangesNothing('/a'), cancellationChangesNothing('/many')],
  ),
  storageLaw('an empty directory lists nothing', [dir('d', [dir('e')])], [lists('/d/e', []), lists('/d', [dir('e')])]),
  storageLaw('a listing is a value: the same when asked for twice, and never changed', family, [
    listingStays('/', '/a'),
    listingStays('/a', '/'),
  ]),
  storageLaw(
    'where nothing is, is `file not found`',
    family,
    bothFail('file not found', '/missing', '/a/missing', '/A', '/none/b'),
  ),
  storageLaw(
    'below a missing name is `file not found`',
    family,
    bothFail('file not found', '/missing/b', '/a/missing/c/d'),
  ),
  storageLaw('a path through a file is `type mismatch`', family, bothFail('type mismatch', '/b/x', '/a/b/c/d')),
  storageLaw('a listing of a file is `type mismatch`', family, [
    listFails('/b', 'type mismatch'),
    listFails('/a/c/d', 'type mismatch'),
  ]),
  storageLaw(
    'links do not exist',
    [
      ...family,
      link('to-a', 'a'),
      link('to-b', 'b'),
      link('away', '/'),
      link('round', 'round'),
      link('lost', 'missing'),
    ],
    [lists('/', family), ...bothFail('file not found', ...atLinks)],
  ),
  storageLaw(
    'what is neither file nor directory does not exist',
    [...family, fifo('pipe')],
    [lists('/', family), ...bothFail('file not found', '/pipe', '/pipe/x')],
  ),
  storageLaw(
    'names that are not valid UTF-8 are left out and counted',
    [...family, dir('d', [file('f')]), undecodable(''), undecodable('caf')],
    // Zero on a storage that cannot have such names.
    [lists('/', [...family, dir('d')], [0, 2]), lists('/d', [file('f')]), ...bothFail('file not found', '/caf')],
  ),
  storageLaw('an area without a root is `external` at every path', 'missing', bothFail('external', '/', '/a', '/a/b')),
  storageLaw('`external` has a cause', 'missing', ['/', '/a', '/a/b'].map(externalHasACause)),
  storageLaw(
    'a node in a locked directory is `external`, or itself where nothing stops the storage',
    [{ ...dir('locked', mine), locked: true }],
    [
      nodeAtIsOrFails('/locked/f', file('f', 1n), 'external'),
      nodeAtIsOrFails('/locked/a', dir('a'), 'external'),
      nodeAtIsOrFails('/locked/a/mine', file('mine', 2n), 'external'),
    ],
  ),
  storageLaw(
    'a locked directory is `external`, or whole where nothing stops the storage; what is beside it can be read',
    [...family, { ...dir('locked', mine), locked: true }],
    [
      lists('/', [...family, dir('locked')]),
      lists('/a', [file('b', 3n), dir('c')]),
      nodeAtIs('/locked', dir('locked')),
      listsOrFails('/locked', mine, 'external'),
    ],
  ),
  storageLaw('a file has any legal name, to the byte', oddFiles, [
    lists('/', oddFiles),
    ...oddFiles.map((node) => nodeAtIs(`/${node.name}`, node)),
  ]),
  storageLaw('a directory has any legal name, to the byte', oddDirectories, [
    lists('/', oddDirectories),
    ...oddDirectories.map(({ name, content }) => lists(`/${name}`, content)),
  ]),
  storageLaw(
    'a node is found 250 levels down',
    [deep],
    [
      nodeAtIs(`${deepPath}/f`, file('f', 7n)),
      lists(deepPath, [file('f', 7n)]),
      ...bothFail('file not found', `${deepPath}/missing`),
      ...bothFail('type mismatch', `${deepPath}/f/x`),
    ],
  ),
]

/** Creates the laws of the storage ports. They seed the earliest and the latest time, and the largest size of the range. */
export const storageLawsWithin = ({ largestSize, ...times }: StorageRange): ReadonlyArray<Law<SeedStorage>> => [
  nodesLaw('nodeAt gives the size of a file to the byte and its time to the second', filesWithin(times)),
  sizesLaw(largestSize),
  nodesLaw('nodeAt gives a directory as one, with its time to the second', directoriesWithin(times)),
  storageLaw(
    'a listing says of each entry what nodeAt says',
    [...family, ...filesWithin(times)],
    [listingAgreesWithNodeAt('/'), listingAgreesWithNodeAt('/a')],
  ),
  ...lawsForAllTimes,
]

/** The contract of the storage ports. For storages with times of 32 bits: `storageLawsWithin`. */
export const storageLaws = storageLawsWithin({ earliest: 0n, latest: 4_294_967_297n })
