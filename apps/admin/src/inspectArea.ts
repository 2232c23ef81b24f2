import type { StoragePath } from '@canopy/domain'
import type { Account } from '@canopy/registry/admin'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Finding } from './AreaStore.js'
import type { Env, Outcome } from './Command.js'
import { external } from './Problem.js'
import { withCount } from './Report.js'

interface AreaInspection {
  readonly findings: ReadonlyArray<Finding>
  /** The nodes that are named like secrets. */
  readonly secretPaths: ReadonlyArray<StoragePath.StoragePath>
  /** False if the area has more than `maxNodes` nodes. */
  readonly isComplete: boolean
}

/** Walks an area and collects its findings, with progress. */
export const inspectArea = (
  { areas, showProgress }: Pick<Env<unknown>, 'areas' | 'showProgress'>,
  account: Account,
  maxNodes = Number.POSITIVE_INFINITY,
): Outcome<AreaInspection> => {
  const directory = areas.directoryOf(account.location)
  const findings: Array<Finding> = []
  const secretPaths: Array<StoragePath.StoragePath> = []
  let nodeCount = 0
  const show = () => showProgress(`checking ${directory}: ${withCount(nodeCount, 'item')}`)
  const onNode = (): boolean => {
    nodeCount += 1
    show()
    return nodeCount <= maxNodes
  }
  return TE.tryCatch(
    async () => {
      show()
      for await (const found of areas.inspect(account, onNode))
        if (typeof found === 'string') secretPaths.push(found)
        else findings.push(found)
      return { findings, secretPaths, isComplete: nodeCount <= maxNodes }
    },
    external(`cannot inspect ${directory}`),
  )
}
