import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { WorldNode } from '../../testkit/src/World.js'
import * as Failure from '../src/Failure.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import type { StoragePath } from '../src/StoragePath.js'
import { explainVisibility, visitorMaySee } from '../src/View.js'
import type { Visibility } from '../src/Visibility.js'
import { collecting, counted, type Name, names, portsOf, registryWith } from './registry.js'
import { area, dir, file, path, storageOf } from './support.js'

const deep = path('/a'.repeat(255))
/** Of look-ups that one request may need: twice the way to the longest path, and a few. */
const maxLookUps = 2 * 255 + 10

type Entries = ReadonlyArray<readonly [StoragePath, Visibility]>

const manyCount = 1_000_000

function* manyPaths(): Generator<StoragePath, undefined> {
  for (let index = 0; index < manyCount; index += 1) yield `/many/${index}` as StoragePath
  return undefined
}

/** A few entries before a million, which are generated: the map takes no memory. */
const amongMany = (few: ReadonlyMap<StoragePath, Visibility>): ReadonlyMap<StoragePath, Visibility> => {
  function* entries(): Generator<[StoragePath, Visibility], undefined> {
    yield* few
    for (const at of manyPaths()) yield [at, 'hidden']
    return undefined
  }
  function* keys(): Generator<StoragePath, undefined> {
    yield* few.keys()
    return yield* manyPaths()
  }
  function* values(): Generator<Visibility, undefined> {
    for (const [, visibility] of entries()) yield visibility
    return undefined
  }
  const get = (at: StoragePath) => few.get(at) ?? (/^\/many\/\d{1,6}$/.test(at) ? 'hidden' : undefined)
  return {
    size: few.size + manyCount,
    get,
    has: (at) => get(at) !== undefined,
    forEach: (each) => {
      for (const [at, visibility] of entries()) each(visibility, at, few)
    },
    entries,
    keys,
    values,
    [Symbol.iterator]: entries,
  }
}

const nested = (levels: number, ...bottom: ReadonlyArray<WorldNode>): ReadonlyArray<WorldNode> =>
  Array.from({ length: levels }).reduce<ReadonlyArray<WorldNode>>((inside) => [dir('a', ...inside)], bottom)

const nothing = storageOf([])
const whole = storageOf(nested(255))
const fileInTheWay = storageOf([file('a')])
const disk = TE.left(Failure.external('EIO'))
const fails: NodeAtEnv & ListEnv = { nodeAt: () => disk, list: () => disk }

const open: Entries = [[path('/'), 'public']]
const onlyDeep: Entries = [[deep, 'public']]
const closed: Entries = []

interface Case {
  readonly what: string
  readonly settings: Entries
  readonly over: NodeAtEnv & ListEnv
  readonly visitor: string
  readonly owner: string
}

const cases: ReadonlyArray<Case> = [
  { what: 'success', settings: open, over: whole, visitor: 'Right', owner: 'Right' },
  { what: 'success where only the path is public', settings: onlyDeep, over: whole, visitor: 'Right', owner: 'Right' },
  { what: 'a missing node', settings: open, over: nothing, visitor: 'file not found', owner: 'file not found' },
  {
    what: 'a reachable file on the way',
    settings: open,
    over: fileInTheWay,
    visitor: 'type mismatch',
    owner: 'type mismatch',
  },
  {
    what: 'a concealed file on the way',
    settings: onlyDeep,
    over: fileInTheWay,
    visitor: 'file not found',
    owner: 'type mismatch',
  },
  { what: 'a failing disk', settings: open, over: fails, visitor: 'external', owner: 'external' },
  { what: 'a private path', settings: closed, over: whole, visitor: 'permission denied', owner: 'Right' },
]

const isOfOwner = (operation: Name): boolean => operation === 'storageTree' || operation === 'storageDirItems'

describe.each([
  ['few settings', (few: ReadonlyMap<StoragePath, Visibility>) => few],
  ['a million settings', amongMany],
])('a path of 255 segments among %s', (_, mapOf) => {
  it.each(names.flatMap((operation) => cases.map((each) => ({ operation, ...each }))))(
    'takes at most 520 look-ups: $operation, $what',
    async ({ operation, settings, over, visitor, owner }) => {
      const { lookedUp, map } = counted(mapOf(new Map(settings)))
      const answer = await collecting[operation](deep)(portsOf(registryWith(Settings.fromMap(map)), over))()
      const found = answer._tag === 'Left' ? answer.left.error : answer._tag
      expect(found).toBe(isOfOwner(operation) ? owner : visitor)
      expect(lookedUp.length).toBeLessThanOrEqual(maxLookUps)
    },
  )

  it.each([{ few: open }, { few: onlyDeep }, { few: closed }])('takes 256 to decide or to explain: $few', ({ few }) => {
    const { lookedUp, map } = counted(mapOf(new Map(few)))
    visitorMaySee(Settings.fromMap(map), deep)
    const decided = lookedUp.length
    explainVisibility(Settings.fromMap(map), deep)
    expect([decided <= 256, lookedUp.length - decided <= 256]).toStrictEqual([true, true])
  })

  it('outside the scope of a token takes none', async () => {
    const { lookedUp, map } = counted(mapOf(new Map(open)))
    const ports = portsOf(registryWith(Settings.fromMap(map)), whole)
    const areaOfToken = () => TE.right({ area, scope: path('/b') })
    const denied = E.left(Failure.permissionDenied)
    expect(await collecting.storageTree(deep)({ ...ports, areaOfToken })()).toStrictEqual(denied)
    expect(lookedUp).toStrictEqual([])
  })
})

it.each(names)('a million settings are not searched for three children: %s', async (operation) => {
  const { lookedUp, map } = counted(amongMany(new Map(open)))
  const over = storageOf([dir('d', file('a'), file('b'), file('c'))])
  const answer = await collecting[operation]('/d')(portsOf(registryWith(Settings.fromMap(map)), over))()
  expect(answer._tag).toBe('Right')
  // The path and the root, then each child.
  expect(lookedUp.length).toBe(5)
})

describe('a tree of 545 directories, 300 of them 245 levels down', () => {
  const bottom = Array.from({ length: 300 }, (_, index) => dir(`${index}`, file('f'), file('g')))
  const directories = 245 + 300
  const entries = 245 + 300 * 3

  it.each([
    ['userContentTree', undefined],
    ['userContentTree', 7],
    ['storageTree', undefined],
  ] as const)('takes a few look-ups for each directory and entry: %s, pages of %s', async (operation, pageEntries) => {
    const { lookedUp, map } = counted(new Map(open))
    const over = storageOf(nested(245, ...bottom), pageEntries)
    const answer = await collecting[operation]('/')(portsOf(registryWith(Settings.fromMap(map)), over))()
    expect(answer._tag).toBe('Right')
    // Pages are counted before they are shown.
    expect(lookedUp.length).toBeLessThanOrEqual(2 * directories + (pageEntries === undefined ? 1 : 2) * entries)
  })
})
