import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Failure } from '@canopy/domain'
import { causeOf, Installation, withConfigFile } from '@canopy/installation'
import { openRegistryWriter, type RegistryWriter } from '@canopy/registry/admin'
import { S3Url } from '@canopy/storage-s3'
import { fixture, jsonText, seedDirectory, seedRegistry } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Command, failed, type Refusal, wrongUsage } from './Command.js'

export interface FixtureOptions {
  readonly describe?: true
  readonly everyU64?: true
}

const whatToDo =
  'The fixture is seeded only where nothing is yet: set CANOPY_DATA to a directory that does not exist ' +
  '(and leave CANOPY_STORAGE and CANOPY_REGISTRY unset)'

const refuseUnlessEmpty =
  (what: (count: number) => string) =>
  ({ length }: ReadonlyArray<unknown>): E.Either<Refusal, void> =>
    length === 0
      ? E.right(undefined)
      : E.left(failed(`this installation is in use, and was left alone: ${what(length)}. ${whatToDo}`))

/** The names in the storage; none where it is missing. */
const namesIn = async (storage: string): Promise<ReadonlyArray<string>> => {
  try {
    return await readdir(storage)
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return []
    throw thrown
  }
}

const registryFailed = ({ cause }: Failure.External): Refusal => failed(`the registry failed: ${causeOf(cause)}`)

const seedInto =
  (storage: string) =>
  (writer: RegistryWriter): TE.TaskEither<Refusal, unknown> =>
    pipe(
      TE.mapLeft(registryFailed)(writer.accounts.all),
      TE.flatMapEither(refuseUnlessEmpty((count) => `its registry has ${count} accounts`)),
      TE.flatMap(() => TE.mapLeft(registryFailed)(writer.triggers.all)),
      TE.flatMapEither(refuseUnlessEmpty((count) => `its registry has ${count} triggers`)),
      TE.flatMap(() =>
        TE.tryCatch(
          async () => {
            for (const { id, area } of fixture(false).accounts) await seedDirectory(join(storage, id), area)
          },
          (thrown) => failed(`the areas cannot be seeded below ${storage}: ${causeOf(thrown)}`),
        ),
      ),
      TE.flatMap(() =>
        pipe(
          seedRegistry(writer)(fixture(false)),
          TE.mapLeft((left) => failed(`the registry cannot be seeded: ${causeOf(left)}`)),
        ),
      ),
    )

/** Only into an installation in which nothing is yet. */
const seedInstallation = ({ storage, registry }: Installation.Installation): TE.TaskEither<Refusal, unknown> =>
  // No object store keeps the times and sizes of the fixture.
  typeof storage !== 'string'
    ? TE.left(
        failed(`the fixture is files, and CANOPY_STORAGE is the object store ${S3Url.toText(storage)}. ${whatToDo}`),
      )
    : pipe(
        TE.tryCatch(
          () => namesIn(storage),
          (thrown) => failed(`the storage ${storage} cannot be read: ${causeOf(thrown)}`),
        ),
        TE.flatMapEither(refuseUnlessEmpty((count) => `its storage ${storage} holds ${count} areas`)),
        TE.flatMap(() =>
          TE.bracket(
            pipe(
              openRegistryWriter(registry),
              TE.mapLeft(({ message }) => failed(message)),
            ),
            seedInto(storage),
            (writer) => TE.fromTask(writer.close),
          ),
        ),
      )

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
    if (describe === true) return TE.right({ stdout: `${jsonText(fixture(everyU64 === true))}\n`, exit: 0 })
    if (everyU64 === true)
      return TE.left(wrongUsage('--every-u64 goes with --describe only: no disk holds such sizes and times'))
    return pipe(
      withConfigFile(cwd, variables),
      E.flatMap((all) => Installation.fromVariables(cwd, all)),
      E.mapLeft((problems) => wrongUsage(problems.join('\n'))),
      TE.fromEither,
      TE.tap(seedInstallation),
      TE.map((installation) => ({ stdout: whatIsNext(installation), exit: 0 })),
    )
  }
