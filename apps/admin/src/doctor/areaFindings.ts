import type { Account } from '@canopy/registry/admin'
import { inspectArea } from '@canopy/storage-fs/admin'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { external, type Problem } from '../Problem.js'
import { areaFinding } from './areaFinding.js'
import type { Finding } from './Finding.js'

/** What of an area nobody can see. `directory` is the area's, absolute. */
export const areaFindings = (account: Account, directory: string): TE.TaskEither<Problem, ReadonlyArray<Finding>> =>
  TE.tryCatch(
    async () => {
      const findings: Array<Finding> = []
      for await (const found of inspectArea(directory)) findings.push(areaFinding(account, directory, found))
      return findings
    },
    external(`cannot inspect ${directory}`),
  )
