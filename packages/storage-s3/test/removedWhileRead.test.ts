import { Area, operations, Settings, Tree, type TreeNode, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { expect, it } from 'vitest'
import { storageIn } from '../src/s3Storage.js'
import { memoryStore } from './memoryStore.js'

const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('1') }
const url = { bucket: 'b', prefix: '', endpoint: undefined, region: undefined, pathStyle: false }

const namesIn = (node: TreeNode.TreeNode): ReadonlyArray<string> =>
  node.type === 'file' ? [node.name] : [node.name, ...(node.content ?? []).flatMap(namesIn)]

it.each([1000, 3])(
  'a file removed before it became public is not in a tree under way, pages of %i',
  async (pageKeys) => {
    const keysWith = (...names: ReadonlyArray<string>) => [
      ...Array.from({ length: 5 }, (_, index) => `1/a${index}/x`),
      ...names.map((name) => `1/later/${name}`),
    ]
    const world = {
      store: memoryStore(keysWith('kept', 'removed'), pageKeys),
      settings: Settings.fromRecord({ '/': 'public', '/later/removed': 'private' }),
    }
    const storage = storageIn(url, { ...world.store, page: (...question) => world.store.page(...question) })
    const tree = await operations.userContentTree(
      { user: '1', path: '' },
      Tree.unbounded,
    )({
      ...storage,
      areaOfUser: () => TE.right(area),
      settingsOf: () => async () => E.right(world.settings),
    })()
    // The walk has read the first page of all levels.
    world.store = memoryStore(keysWith('kept'), pageKeys)
    world.settings = Settings.fromRecord({ '/': 'public' })
    const collected = E.isRight(tree) ? await Tree.collect(tree.right)() : tree
    expect(E.isRight(collected) && namesIn(collected.right)).toEqual(expect.arrayContaining(['later', 'kept']))
    expect(E.isRight(collected) && namesIn(collected.right)).not.toContain('removed')
  },
)
