import { Area, listPages, StoragePath } from '@canopy/domain'
import { type ListingMode, type ListingStore, startListingStore } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type S3Areas, s3Areas } from '../src/admin/index.js'
import { exactDirectories } from '../src/letterCase.js'
import { area, collected, ownerTree } from './asClient.js'
import { memoryStore } from './memoryStore.js'

const at = (path: string) => path as StoragePath.StoragePath

const digits = (index: number): string => String(index).padStart(2, '0')
const files = Array.from({ length: 35 }, (_, index) => `f${digits(index)}`)

/** 35 files and 15 directories of 7 files, between the areas of two other accounts. */
const keys = [
  '0/other',
  ...files.map((name) => `1/${name}`),
  ...Array.from({ length: 15 }, (_, index) => `1/d${digits(index)}`).flatMap((name) =>
    'abcdefg'.split('').map((file) => `${name}/${file}`),
  ),
  '2/other',
]

let store: ListingStore
let storage: S3Areas
beforeEach(async () => {
  Object.assign(process.env, { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' })
  store = await startListingStore(keys)
  const { endpoint } = store
  storage = await s3Areas({ bucket: 'bucket', prefix: '', endpoint, region: undefined, pathStyle: true })
})
afterEach(async () => {
  storage.close()
  await store.stop()
})

const replaceKeys = (...all: ReadonlyArray<string>): void => {
  store.keys.clear()
  for (const key of all) store.keys.add(key)
}

const list = async (path: string) => {
  const listed = await listPages(area, at(path))(storage)()
  return E.isRight(listed)
    ? listed.right.flatMap(({ entries }) => [...entries].map(({ name }) => name))
    : String(Reflect.get(listed.left, 'cause') ?? listed.left.error)
}

const tree = async () => {
  const found = await collected(await ownerTree(storage))
  return E.isRight(found) ? found.right : String(Reflect.get(found.left, 'cause'))
}

const inspected = async () => {
  const found: Array<unknown> = []
  for await (const each of storage.inspect(area.location)) found.push(each)
  return found
}

const named = (fault: string) => expect.stringMatching(new RegExp(`^Error: s3://bucket\\?[^ ]+: ${fault} `))

const faults: ReadonlyArray<readonly [ListingMode, fault: string]> = [
  ['pages out of order', 'the store does not list keys in order'],
  ['halves out of order', 'the store does not list keys in order'],
  ['outside the prefix', 'the store lists keys outside the requested prefix'],
  ['half of each page', 'the store returned fewer keys than its KeyCount'],
  ['the first page forever', 'the store repeats a continuation token'],
  ['two tokens forever', 'the store repeats a continuation token'],
]

it.each(faults)('a store with the fault "%s" is external with that reason, within a bound', async (mode, fault) => {
  store.mode = mode
  expect([await list('/'), await tree()]).toEqual([named(fault), named(fault)])
  const before = store.asked.length
  await expect(inspected()).rejects.toThrow(fault)
  expect(store.asked.length - before).toBeLessThan(10)
})

it('a store that gives empty pages forever is external with that reason, within a bound', async () => {
  store.mode = 'empty pages forever'
  await expect(inspected()).rejects.toThrow('the store keeps returning pages that contain no keys')
  expect(store.asked.length).toBeLessThan(510)
})

it.each<[ListingMode, keys: ReadonlyArray<string>, path: string, fault: string]>([
  ['pages out of order', ['1/d/b', '1/d/a'], '/d', 'the store does not list keys in order'],
  ['halves out of order', files.map((name) => `1/flat/${name}`), '/flat', 'the store does not list keys in order'],
  ['outside the prefix', ['0/other', '1/d/a'], '/d', 'the store lists keys outside the requested prefix'],
])('a listing of one directory by a store with "%s" is external', async (mode, listed, path, fault) => {
  replaceKeys(...listed)
  store.mode = mode
  expect(await list(path)).toEqual(named(fault))
})

const harmless = ['empty first page', 'empty pages between', 'no KeyCount', 'unescaped prefixes', 'unescaped'] as const

it.each(harmless)('a store with "%s" answers as one that lists as S3 does', async (mode) => {
  const ask = async () => [
    await list('/'),
    await list('/d07'),
    await tree(),
    await inspected(),
    await storage.nodeAt(area, at('/d07/b'))(),
    await storage.nodeAt(area, at('/d07/x'))(),
    await storage.nodeAt({ ...area, location: Area.location('3') }, StoragePath.root)(),
    await storage.reachable(),
  ]
  const right = await ask()
  store.mode = mode
  expect(await ask()).toEqual(right)
  expect([right[0], right[2]]).toEqual([
    expect.objectContaining({ length: 50 }),
    expect.objectContaining({ type: 'dir' }),
  ])
})

it.each<ListingMode>(['as S3', 'unescaped prefixes', 'unescaped'])(
  'odd names are listed below themselves: "%s"',
  async (mode) => {
    const odd = ['50%', 'a b', 'a+b', 'b%41', 'é', 'é+%']
    replaceKeys(...odd.map((name) => `1/${name}/x y/${name}`))
    store.mode = mode
    for (const name of odd) expect([await list(`/${name}`), await list(`/${name}/x y`)]).toEqual([['x y'], [name]])
  },
)

const caseless = 'the store treats keys as case-insensitive, but Canopy compares names byte by byte'

describe.each<ListingMode>(['ignores case', 'ignores case of prefixes'])('a store that "%s"', (mode) => {
  beforeEach(() => {
    replaceKeys('1/Secret/Plans/a.txt', '1/Секрет/план')
    store.mode = mode
  })

  const spelled = [
    '/secret',
    '/секрет/план',
    '/secret/Plans',
    '/Secret/plans',
    '/secret/Plans/a.txt',
    '/Secret/plans/a.txt',
  ]

  it.each(spelled)('gives nothing at %s, which no directory lists', async (path) => {
    expect(E.isLeft(await storage.nodeAt(area, at(path))())).toBe(true)
    expect(E.isLeft(await storage.list(area, at(path))())).toBe(true)
    expect(E.isLeft(await ownerTree(storage, encodeURI(path)))).toBe(true)
  })

  it.each(['1', 'team'])('is refused for a new area %s', async (location) => {
    const made = await storage.createArea(Area.location(location))()
    expect(E.isLeft(made) && String(made.left.cause)).toEqual(named(caseless))
  })
})

it('a store that ignores case answers with the names that its directories list', async () => {
  store.keys.add('1/Secret/Plans/a.txt')
  store.mode = 'ignores case'
  expect(await list('/Secret/Plans')).toEqual(['a.txt'])
  expect(await storage.nodeAt(area, at('/Secret/Plans/a.txt'))()).toMatchObject(E.right({ type: 'file' }))
})

it('a store that finds keys by another case, spelled as stored, is external with that reason', async () => {
  store.keys.add('1/Secret/Plans/a.txt')
  store.mode = 'ignores case of prefixes'
  expect(await list('/secret')).toEqual(named(caseless))
})

it('a store is checked again after paths of other alphabets: it may tell only these apart', async () => {
  store.keys.add('1/Секрет/план')
  await storage.nodeAt(area, at('/Секрет/план'))()
  store.keys.add('1/Secret/a.txt')
  store.mode = 'ignores case'
  expect(E.isLeft(await storage.nodeAt(area, at('/secret/a.txt'))())).toBe(true)
})

it('a store is checked again after the directory was removed during the check', async () => {
  let keys: ReadonlyArray<string> = []
  const isExact = exactDirectories({ page: (request) => memoryStore(keys).page(request) })
  expect(await isExact('1/', at('/secret'))).toBe(false)
  keys = ['1/SECRET/a']
  expect(await isExact('1/', at('/secret'))).toBe(false)
})

it('a store that tells cases apart gives nodes and areas whose names differ only in case', async () => {
  replaceKeys('TEAM/x', '1/Readme/x', '1/rEADME/X')
  expect([await list('/Readme'), await list('/rEADME')]).toEqual([['x'], ['X']])
  expect(await storage.createArea(Area.location('team'))()).toEqual(E.right({ isNew: true }))
})

it('a new area and its files are below its prefix', async () => {
  const team = Area.location('team')
  await storage.createArea(team)()
  await storage.put(team, '/photos/sea.jpg', 'sea')()
  expect([...store.keys].filter((key) => key.startsWith('team'))).toEqual(['team/', 'team/photos/sea.jpg'])
})
