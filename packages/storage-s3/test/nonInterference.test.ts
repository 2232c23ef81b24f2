import { Area, operations, Settings, Tree, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { storageIn } from '../src/s3Storage.js'
import { memoryStore } from './memoryStore.js'

const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('1') }
const url = { bucket: 'b', prefix: '', endpoint: undefined, region: undefined, pathStyle: false }

/** The tree that a visitor receives, and the number of requests to the store. */
const visit = async (keys: ReadonlyArray<string>, settings: Settings.Settings, path: string) => {
  const store = memoryStore(keys)
  const tree = await operations.userContentTree(
    { user: '1', path },
    Tree.unbounded,
  )({
    ...storageIn(url, store),
    areaOfUser: () => TE.right(area),
    settingsOf: () => TE.right(settings),
  })()
  return { answer: E.isRight(tree) ? await Tree.collect(tree.right)() : tree, requests: store.requests.count }
}

const many = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_, i) => name(i))
const shown = many(20, (index) => `1/d${index}/f`)
const settings = Settings.fromRecord({
  '/': 'public',
  '/d5-private': 'private',
  '/d5/private': 'private',
  '/d6/hidden': 'hidden',
  '/report-1': 'private',
  '/report-2': 'private',
})

it.each([
  ['/d5-private, beside what the visitor sees', (index: number) => `1/d5-private/${index}`],
  ['/d5/private, inside of it', (index: number) => `1/d5/private/${index}`],
  ['/d6/hidden/deep, hidden by name', (index: number) => `1/d6/hidden/deep/${index}`],
])('a subtree of 1,200 invisible keys at %s does not change the requests of a tree', async (_, name) => {
  const without = await visit(shown, settings, '')
  expect(without.answer).toMatchObject(E.right({ type: 'dir' }))
  expect(await visit([...shown, ...many(1_200, name)], settings, '')).toEqual(without)
})

it.each([
  ['a file', ['1/report']],
  ['a directory', ['1/report/f']],
  ['nothing', []],
])('60 private names that begin like %s do not change the requests of its look-up', async (_, keys) => {
  const names = many(60, (index) => `/report-${index}`)
  const secret = Settings.fromEntries([
    ['/', 'public'],
    ...names.map((name) => [name, 'private'] as const),
  ] as unknown as Parameters<typeof Settings.fromEntries>[0])
  const without = await visit([...shown, ...keys], secret, '/report')
  expect(without.requests).toBeLessThanOrEqual(4)
  expect(await visit([...shown, ...keys, ...names.map((name) => `1${name}`)], secret, '/report')).toEqual(without)
})

it('a tree without invisible nodes is read by pages of all levels', async () => {
  const all = await visit(shown, Settings.fromRecord({ '/': 'public' }), '')
  expect(all.requests).toBeLessThanOrEqual(3)
})
