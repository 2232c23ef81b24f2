import { Settings, type TreeNode } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { storageIn } from '../src/s3Storage.js'
import { collected, namesIn, ownerTree, url, visitorTree } from './asClient.js'
import { memoryStore, numbered } from './memoryStore.js'

const nodeOf = async (tree: Parameters<typeof collected>[0]): Promise<TreeNode.TreeNode> =>
  E.getOrElseW(() => expect.fail('the tree has failed'))(await collected(tree))

it.each([1000, 3])('a file removed before it became public is not in a tree: pages of %i', async (pageKeys) => {
  const keysWith = (...names: ReadonlyArray<string>) => [
    ...numbered(5, (index) => `1/a${index}/x`),
    ...names.map((name) => `1/later/${name}`),
  ]
  let store = memoryStore(keysWith('kept', 'removed'), pageKeys)
  let settings = Settings.fromRecord({ '/': 'public', '/later/removed': 'private' })
  const storage = storageIn(url, { ...store, page: (...request) => store.page(...request) })
  const tree = await visitorTree(storage, () => settings)
  // The walk has read the first page of all levels.
  store = memoryStore(keysWith('kept'), pageKeys)
  settings = Settings.fromRecord({ '/': 'public' })
  const names = namesIn(await nodeOf(tree))
  expect(names).toEqual(expect.arrayContaining(['later', 'kept']))
  expect(names).not.toContain('removed')
})

it('directories of a tree are whole or unexpanded where the store fails in the middle', async () => {
  const store = memoryStore(numbered(1_500, (n) => `1/d${String(n).padStart(4, '0').slice(0, 3)}/${n}`))
  let isBroken = false
  const storage = storageIn(url, {
    ...store,
    page: async (...request) => (isBroken ? Promise.reject(new Error('broken')) : store.page(...request)),
  })
  const tree = await ownerTree(storage)
  // The first page and the level of the root have been read.
  isBroken = true
  const root = await nodeOf(tree)
  const children = root.type === 'dir' ? (root.content ?? []) : []
  const lengths = children.map((child) => (child.type === 'dir' ? child.content?.length : 'file'))
  expect(new Set(lengths)).toEqual(new Set([10, undefined]))
  expect(lengths.length).toBe(150)
})
