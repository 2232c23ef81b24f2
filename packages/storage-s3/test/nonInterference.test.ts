import { NamePattern, Rules, Settings } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { expect, it } from 'vitest'
import { storageIn } from '../src/s3Storage.js'
import { collected, url, visitorTree } from './asClient.js'
import { memoryStore } from './memoryStore.js'

/** The tree that a visitor receives, and the number of requests to the store. */
const visit = async (keys: ReadonlyArray<string>, settings: Settings.Settings, path: string) => {
  const store = memoryStore(keys)
  const answer = await collected(await visitorTree(storageIn(url, store), () => settings, path))
  return { answer, requests: store.requests.count }
}

const many = (count: number, name: (index: number) => string) => Array.from({ length: count }, (_, i) => name(i))
const shown = many(20, (index) => `1/d${index}/f`)
const settings = Settings.fromRecord({
  '/': 'public',
  '/d5-private': 'private',
  '/d5/private': 'private',
  '/d6/hidden': 'hidden',
})
const withheld = pipe(
  NamePattern.fromString('modules'),
  O.flatMap((pattern) => Rules.fromRules([{ pattern, visibility: 'private' }])),
  O.getOrElse(() => Rules.none),
)
const ruled = Settings.withRules(withheld)(Settings.fromRecord({ '/': 'public' }))

it.each([
  ['/d5-private, beside what the visitor sees', (index: number) => `1/d5-private/${index}`],
  ['/d5/private, inside of it', (index: number) => `1/d5/private/${index}`],
  ['/d6/hidden/deep, hidden by name', (index: number) => `1/d6/hidden/deep/${index}`],
])('1,200 invisible keys at %s do not change the requests of a tree', async (_, name) => {
  const without = await visit(shown, settings, '')
  expect(without.answer).toMatchObject(E.right({ type: 'dir' }))
  expect(await visit([...shown, ...many(1_200, name)], settings, '')).toEqual(without)
})

it('1,200 keys below a directory that a rule withholds do not change the requests of a tree', async () => {
  const without = await visit(shown, ruled, '')
  const hidden = many(1_200, (index) => `1/d7/modules/${index}`)
  expect(await visit([...shown, ...hidden], ruled, '')).toEqual(without)
})

it.each([
  ['a file', ['1/report']],
  ['a directory', ['1/report/f']],
  ['nothing', []],
])('60 private names that begin like %s do not change the requests of its look-up', async (_, keys) => {
  const names = many(60, (index) => `/report-${index}`)
  const secret = Settings.fromRecord(Object.fromEntries([['/', 'public'], ...names.map((name) => [name, 'private'])]))
  const without = await visit([...shown, ...keys], secret, '/report')
  expect(without.requests).toBeLessThanOrEqual(4)
  expect(await visit([...shown, ...keys, ...names.map((name) => `1${name}`)], secret, '/report')).toEqual(without)
})
