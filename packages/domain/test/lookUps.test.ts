import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { WorldNode } from '../../testkit/src/World.js'
import * as Failure from '../src/Failure.js'
import type { ListEnv, NodeAtEnv } from '../src/ports.js'
import * as Settings from '../src/Settings.js'
import type { StoragePath } from '../src/StoragePath.js'
import { explainVisibility, visitorMayRequest } from '../src/View.js'
import { notInherited, type Visibility } from '../src/Visibility.js'
import { collecting, isOfOwner, names, portsOf, registryWith } from './registry.js'
import { area, dir, file, name, path, storageOf } from './support.js'

const deep = path('/a'.repeat(255))
const maxLookUps = 2 * 255 + 10

type SettingsMap = ReadonlyMap<StoragePath, Visibility>

/** A few entries before a million others, which are generated: the map takes no memory. */
const amongMany = (few: SettingsMap) => {
  function* entries(): Generator<[StoragePath, Visibility], undefined> {
    yield* few
    for (let index = 0; index < 1_000_000; index += 1) yield [`/many/${index}` as StoragePath, 'hidden']
    return undefined
  }
  return { get: (at: StoragePath) => few.get(at), size: few.size + 1_000_000, [Symbol.iterator]: entries }
}

/** Settings that count the look-ups in their map: of one path, and of each path that a search passes. */
const counted = (map: Pick<SettingsMap, 'get' | 'size' | typeof Symbol.iterator>) => {
  const lookedUp: Array<string> = []
  function* entries() {
    for (const entry of map) {
      lookedUp.push(entry[0])
      yield entry
    }
  }
  function* keys() {
    for (const [key] of entries()) yield key
  }
  const get = (key: StoragePath) => {
    lookedUp.push(key)
    return map.get(key)
  }
  const counting = { get, keys, size: map.size, [Symbol.iterator]: entries }
  return { lookedUp, settings: Settings.fromMap(counting as unknown as SettingsMap) }
}

const nested = (levels: number, ...bottom: ReadonlyArray<WorldNode>): ReadonlyArray<WorldNode> =>
  Array.from({ length: levels }).reduce<ReadonlyArray<WorldNode>>((inside) => [dir('a', ...inside)], bottom)

const whole = storageOf(nested(255))
const fileOnTheWay = storageOf([file('a')])
const disk = TE.left(Failure.external('EIO'))
const failing: NodeAtEnv & ListEnv = { nodeAt: () => disk, list: () => disk }

const open: SettingsMap = new Map([[path('/'), 'public']])
const onlyDeep: SettingsMap = new Map([[deep, 'public']])
const closed: SettingsMap = new Map()

type Case = readonly [what: string, SettingsMap, NodeAtEnv & ListEnv, visitor: string, owner: string]

const cases: ReadonlyArray<Case> = [
  ['success', open, whole, 'Right', 'Right'],
  ['success where only the path is public', onlyDeep, whole, 'Right', 'Right'],
  ['a missing node', open, storageOf([]), 'file not found', 'file not found'],
  ['a reachable file on the way', open, fileOnTheWay, 'type mismatch', 'type mismatch'],
  ['a concealed file on the way', onlyDeep, fileOnTheWay, 'file not found', 'type mismatch'],
  ['a failing disk', open, failing, 'external', 'external'],
  ['a private path', closed, whole, 'permission denied', 'Right'],
]

describe('a path of 255 segments among a million settings', () => {
  it.each(names.flatMap((operation) => cases.map((each) => [operation, ...each] as const)))(
    'takes at most 520 look-ups: %s, %s',
    async (operation, _what, few, over, visitor, owner) => {
      const { lookedUp, settings } = counted(amongMany(few))
      const answer = await collecting[operation](deep)(portsOf(registryWith(settings), over))()
      expect(answer._tag === 'Left' ? answer.left.error : answer._tag).toBe(isOfOwner(operation) ? owner : visitor)
      expect(lookedUp.length).toBeLessThanOrEqual(maxLookUps)
    },
  )

  it.each([visitorMayRequest, explainVisibility])('takes at most 256 look-ups for %o', (decide) => {
    for (const few of [open, onlyDeep, closed]) {
      const { lookedUp, settings } = counted(amongMany(few))
      decide(settings, deep)
      expect(lookedUp.length).toBeLessThanOrEqual(256)
    }
  })

  it('takes no look-up outside the scope of a token', async () => {
    const { lookedUp, settings } = counted(amongMany(open))
    const areaOfToken = () => TE.right({ area, scope: path('/b') })
    const denied = E.left(Failure.permissionDenied)
    const ports = { ...portsOf(registryWith(settings), whole), areaOfToken }
    expect(await collecting.storageTree(deep)(ports)()).toStrictEqual(denied)
    expect(lookedUp).toStrictEqual([])
  })
})

it.each([
  ['/', ['/']],
  ['/d', ['/', '/d', '/d2']],
])('children without settings at or below %s take no look-up', (directory, withSettings) => {
  const map = new Map(withSettings.map((at) => [path(at), 'public'] as const))
  const { lookedUp, settings } = counted(map)
  const ofChild = Settings.visibilityOfChildren(settings, path(directory), notInherited('public'), map.size)
  lookedUp.length = 0
  expect(ofChild(name('a'))).toStrictEqual({ inherited: true, visibility: 'public' })
  expect(lookedUp).toStrictEqual([])
})

it.each(names)('a million settings are not searched for three children: %s', async (operation) => {
  const { lookedUp, settings } = counted(amongMany(open))
  const over = storageOf([dir('d', file('a'), file('b'), file('c'))])
  const answer = await collecting[operation]('/d')(portsOf(registryWith(settings), over))()
  expect(answer).toMatchObject({ _tag: 'Right' })
  // The path and the root, then each child.
  expect(lookedUp.length).toBe(5)
})

it.each([
  ['userContentTree', undefined],
  ['userContentTree', 7],
  ['storageTree', undefined],
] as const)('a deep tree takes a few look-ups for each node: %s, pages of %s', async (operation, pageEntries) => {
  const bottom = Array.from({ length: 300 }, (_, index) => dir(`${index}`, file('f'), file('g')))
  const { lookedUp, settings } = counted(open)
  const over = storageOf(nested(245, ...bottom), pageEntries)
  const answer = await collecting[operation]('/')(portsOf(registryWith(settings), over))()
  expect(answer).toMatchObject({ _tag: 'Right' })
  const [directories, entries] = [245 + 300, 245 + 300 * 3]
  // Pages are counted before they are shown.
  expect(lookedUp.length).toBeLessThanOrEqual(2 * directories + (pageEntries === undefined ? 1 : 2) * entries)
})
