import { Area, operations, Settings, StoragePath, Tree, type TreeNode, type UserId } from '@canopy/domain'
import type { StoragePorts } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as TE from 'fp-ts/lib/TaskEither.js'

export const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('1') }

export const url = { bucket: 'b', prefix: '', endpoint: undefined, region: undefined, pathStyle: false }

export const token = `cnp_${'A'.repeat(43)}`

export const asOwner = (storage: StoragePorts) => ({
  ...storage,
  areaOfToken: () => TE.right({ area, scope: StoragePath.root }),
  settingsOf: () => TE.right(Settings.none),
})

/** The tree of a visitor. `settings` is called for each reading of them. */
export const visitorTree = (storage: StoragePorts, settings: () => Settings.Settings, path = '') =>
  operations.userContentTree(
    { user: '1', path },
    Tree.unbounded,
  )({
    ...storage,
    areaOfUser: () => TE.right(area),
    settingsOf: () => async () => E.right(settings()),
  })()

export const ownerTree = (storage: StoragePorts, path = '') =>
  operations.storageTree({ token, path }, Tree.unbounded)(asOwner(storage))()

export const collected = async <F>(tree: E.Either<F, Tree.Tree>) =>
  E.isRight(tree) ? Tree.collect(tree.right)() : tree

export const namesIn = (node: TreeNode.TreeNode): ReadonlyArray<string> =>
  node.type === 'file' ? [node.name] : [node.name, ...(node.content ?? []).flatMap(namesIn)]
