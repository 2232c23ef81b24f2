import { type StoragePath, UserId } from '@canopy/domain'
import { shellWord } from '@canopy/installation'
import type { Account } from '@canopy/registry/admin'
import { inspectArea, isMountPoint } from '@canopy/storage-fs/admin'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { external, type Problem } from '../Problem.js'
import { isSecretName } from '../secretNames.js'
import { areaFinding } from './areaFinding.js'
import type { Finding } from './Finding.js'

export interface InspectedArea {
  /** What of it nobody can see. */
  readonly findings: ReadonlyArray<Finding>
  /** The nodes with a name that usually holds secrets. */
  readonly secrets: ReadonlyArray<StoragePath.StoragePath>
}

const notMounted = ({ id }: Account, directory: string): Finding => ({
  kind: 'area not mounted',
  account: id,
  path: O.none,
  message: `${directory} was a mount point when it was given to the account, and nothing is mounted there now, so every request answers \`external\`: mount its disk, or, to serve it as it is, \`canopy account update ${UserId.toDecimal(id)} --area ${shellWord(directory)}\``,
})

const isNotMounted = ({ isMountPoint: shouldBe }: Account, directory: string): boolean => {
  try {
    return shouldBe && !isMountPoint(directory)
  } catch {
    // It is not there, which the inspection finds.
    return false
  }
}

/** Walks an area whole. `directory` is the area's, absolute. */
export const areaFindings = (account: Account, directory: string): TE.TaskEither<Problem, InspectedArea> =>
  TE.tryCatch(
    async () => {
      if (isNotMounted(account, directory)) return { findings: [notMounted(account, directory)], secrets: [] }
      const findings: Array<Finding> = []
      const secrets: Array<StoragePath.StoragePath> = []
      for await (const found of inspectArea(directory, isSecretName)) {
        if (found.finding === 'name looked for') secrets.push(found.path)
        else findings.push(areaFinding(account, directory, found))
      }
      return { findings, secrets }
    },
    external(`cannot inspect ${directory}`),
  )
