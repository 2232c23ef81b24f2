import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { causeOf, Installation, withConfigFile } from '@canopy/installation'
import { openRegistryWriter } from '@canopy/registry/admin'
import { S3Url } from '@canopy/storage-s3'
import { fixture, jsonText, seedDirectory, seedRegistry } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Command, failed, printed, promised, wrongUsage } from './Command.js'

export interface FixtureOptions {
  readonly describe?: true
  readonly everyU64?: true
}

const whatToDo =
  'The fixture is seeded only where nothing is yet: set CANOPY_DATA to a directory that does not exist ' +
  '(and leave CANOPY_STORAGE and CANOPY_REGISTRY unset)'

const inUse = (what: string): string => `this installation is in use, and was left alone: ${what}. ${whatToDo}`

/** Only into an installation in which nothing is yet: else why not. Rejects where something fails. */
const seedInstallation = async ({ storage, registry }: Installation.Installation): Promise<string | undefined> => {
  // No object store keeps the times and sizes of the fixture.
  if (typeof storage !== 'string')
    return `the fixture is files, and CANOPY_STORAGE is the object store ${S3Url.toText(storage)}. ${whatToDo}`
  const areas = existsSync(storage) ? readdirSync(storage).length : 0
  if (areas > 0) return inUse(`its storage ${storage} holds ${areas} areas`)
  const writer = await promised(openRegistryWriter(registry))
  try {
    for (const of of ['accounts', 'triggers'] as const) {
      const { length } = await promised<ReadonlyArray<unknown>>(writer[of].all)
      if (length > 0) return inUse(`its registry has ${length} ${of}`)
    }
    for (const { id, area } of fixture(false).accounts) await seedDirectory(join(storage, id), area)
    await promised(seedRegistry(writer)(fixture(false)))
    return undefined
  } finally {
    await writer.close()
  }
}

const whatIsNext = (installation: Installation.Installation): string =>
  `The fixture is seeded in ${installation.data}.
Start the server with the same variables, and with CANOPY_FAILED_LOOKUPS=0, since many questions hold a wrong token.
Then ask it:

  canopy-harness conformance ${Installation.baseUrl(installation)} --exact
`

/** Seeds the fixture into the installation that the environment names, or describes it. */
export const makeFixture =
  ({ describe, everyU64 }: FixtureOptions): Command =>
  ({ cwd, variables }) => {
    if (describe === true) return TE.right(printed(`${jsonText(fixture(everyU64 === true))}\n`))
    if (everyU64 === true)
      return TE.left(wrongUsage('--every-u64 goes with --describe only: no disk holds such sizes and times'))
    return pipe(
      withConfigFile(cwd, variables),
      E.flatMap((all) => Installation.fromVariables(cwd, all)),
      E.mapLeft((problems) => wrongUsage(problems.join('\n'))),
      TE.fromEither,
      TE.tap((installation) =>
        pipe(
          TE.tryCatch(
            () => seedInstallation(installation),
            (thrown) => `the fixture cannot be seeded: ${causeOf(thrown)}`,
          ),
          TE.filterOrElse(
            (why) => why === undefined,
            (why) => why ?? '',
          ),
          TE.mapLeft(failed),
        ),
      ),
      TE.map((installation) => printed(whatIsNext(installation))),
    )
  }
