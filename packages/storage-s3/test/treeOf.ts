import { type Area, operations, Settings, StoragePath, Tree } from '@canopy/domain'
import type { StoragePorts } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'

const token = `cnp_${'A'.repeat(43)}`

/** The tree of an owner without settings. */
export const treeOf = (area: Area.Area, storage: StoragePorts, path: string) =>
  operations.storageTree(
    { token, path },
    Tree.unbounded,
  )({
    ...storage,
    areaOfToken: () => TE.right({ area, scope: StoragePath.root }),
    settingsOf: () => TE.right(Settings.none),
  })()
