import { NamePattern, Settings } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { expect, it } from 'vitest'
import { storageIn } from '../src/s3Storage.js'
import { collected, url, visitorTree } from './asClient.js'
import { memoryStore, numbered } from './memoryStore.js'

const visit = async (keys: ReadonlyArray<string>, settings: Settings.Settings, path: string) => {
  const store = memoryStore(keys)
  const answer = await collected(await visitorTree(storageIn(url, store), () => settings, path))
  return { answer, requests: store.requests.count }
}

const shown = numbered(20, (index) => `1/d${index}/f`)
const settings = Settings.fromRecord({
  '/': 'public',
  '/d5-private': 'private',
  '/d5/private': 'private',
  '/d6/hidden': 'hidden',
})
const modules = O.toUndefined(NamePattern.fromString('modules')) ?? expect.fail()
const added = Settings.addRules(Settings.fromRecord({ '/': 'public' }), [{ pattern: modules, visibility: 'private' }])
const ruled = O.toUndefined(added) ?? expect.fail()

it.each([
  ['/d5-private, beside what the visitor sees', settings],
  ['/d5/private, inside of it', settings],
  ['/d6/hidden/deep, hidden by name', settings],
  ['/d7/modules, withheld by a rule', ruled],
])('1,200 invisible keys at %s do not change the requests of a tree', async (where, given) => {
  const [path = ''] = where.split(',')
  const without = await visit(shown, given, '')
  expect(without.answer).toMatchObject(E.right({ type: 'dir' }))
  const keys = [...shown, ...numbered(1_200, (index) => `1${path}/${index}`)]
  expect(await visit(keys, given, '')).toEqual(without)
})

it.each([
  ['a file', ['1/report']],
  ['a directory', ['1/report/f']],
  ['nothing', []],
])('60 private names that begin like %s do not change the requests of its look-up', async (_, keys) => {
  const names = numbered(60, (index) => `/report-${index}`)
  const secret = Settings.fromRecord(Object.fromEntries([['/', 'public'], ...names.map((name) => [name, 'private'])]))
  const without = await visit([...shown, ...keys], secret, '/report')
  expect(without.requests).toBeLessThanOrEqual(4)
  expect(await visit([...shown, ...keys, ...names.map((name) => `1${name}`)], secret, '/report')).toEqual(without)
})
