import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Installation, reasonOf, withConfigFile } from '@canopy/installation'
import { openRegistryWriter } from '@canopy/registry/admin'
import { S3Url } from '@canopy/storage-s3'
import { fixture, jsonText, seedDirectory, seedRegistry, type World, type WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Command, failed, printed, toPromise, wrongUsage } from './Command.js'

export interface FixtureOptions {
  readonly describe?: true
  readonly everyU64?: true
}

/** Seeds the fixture into the installation of the environment, or prints it. */
export const fixtureCommand =
  ({ describe, everyU64 }: FixtureOptions): Command =>
  ({ cwd, variables }) => {
    if (describe === true) return TE.right(printed(`${jsonText(describeWorld(fixture(everyU64 === true)))}\n`))
    if (everyU64 === true)
      return TE.left(
        wrongUsage('--every-u64 requires --describe: some sizes and times of the fixture are too large for any disk'),
      )
    return pipe(
      withConfigFile(cwd, variables),
      E.flatMap((merged) => Installation.fromVariables(cwd, merged)),
      E.mapLeft((problems) => wrongUsage(problems.join('\n'))),
      TE.fromEither,
      TE.tap((installation) =>
        pipe(
          TE.tryCatch(
            () => seedInstallation(installation),
            (thrown) => `the fixture cannot be seeded: ${reasonOf(thrown)}`,
          ),
          TE.flatMap((refusal) => (refusal === undefined ? TE.right(undefined) : TE.left(refusal))),
          TE.mapLeft(failed),
        ),
      ),
      TE.map((installation) => printed(nextSteps(installation))),
    )
  }

/** Lists nodes by path, because many JSON readers refuse more than 100 levels. */
const nodesByPath = (nodes: ReadonlyArray<WorldNode>, directory = ''): ReadonlyArray<object> =>
  nodes.flatMap(({ name, ...node }) => {
    const path = `${directory}/${name}`
    if (!('content' in node)) return [{ path, ...node }]
    const { content, ...alone } = node
    return [{ path, ...alone }, ...nodesByPath(content, path)]
  })

const describeWorld = ({ accounts, triggers }: World): object => ({
  accounts: accounts.map(({ area, ...account }) => ({
    ...account,
    area: area === 'missing' ? area : nodesByPath(area),
  })),
  triggers,
})

/** Seeds an empty installation. Returns the reason for refusing any other, and rejects on a failure. */
const seedInstallation = async ({ storage, registry }: Installation.Installation): Promise<string | undefined> => {
  // No object store keeps the times and sizes of the fixture.
  if (typeof storage !== 'string')
    return `the fixture needs a directory on a disk, but CANOPY_STORAGE is ${storage instanceof URL ? storage.href : `the object store ${S3Url.toText(storage)}`}. ${hint}`
  if (existsSync(storage) && readdirSync(storage).length > 0) return inUse(`its storage ${storage} is not empty`)
  const writer = await toPromise(openRegistryWriter(registry))
  try {
    for (const table of ['accounts', 'triggers'] as const) {
      const { length } = await toPromise<ReadonlyArray<unknown>>(writer[table].all)
      if (length > 0) return inUse(`its registry has ${table}`)
    }
    for (const { id, area } of fixture(false).accounts) await seedDirectory(join(storage, id), area)
    await toPromise(seedRegistry(writer)(fixture(false)))
    return undefined
  } finally {
    await writer.close()
  }
}

const hint =
  'The fixture needs an empty installation: set CANOPY_DATA to a directory that does not exist ' +
  '(and leave CANOPY_STORAGE and CANOPY_REGISTRY unset)'

const inUse = (reason: string): string => `this installation is in use and was not changed: ${reason}. ${hint}`

const nextSteps = (installation: Installation.Installation): string =>
  `Seeded the fixture in ${installation.data}.
Start the server with the same variables and with CANOPY_FAILED_LOOKUPS=0, because many requests use invalid tokens.
Then verify it:

  canopy-harness conformance ${Installation.baseUrl(installation)} --exact
`
