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
import { type Command, type CommandEnv, failed, type Refusal, type Written, wrongUsage } from './Command.js'

export interface FixtureOptions {
  readonly describe?: true
  readonly everyU64?: true
}

const whatToDo =
  'The fixture is seeded only where nothing is yet: set CANOPY_DATA to a directory that does not exist ' +
  '(and leave CANOPY_STORAGE and CANOPY_REGISTRY unset)'

const inUse = (why: string): TE.TaskEither<Refusal, never> =>
  TE.left(failed(`this installation is in use, and was left alone: ${why}. ${whatToDo}`))

/** The names in the storage; none where it is missing. */
const namesIn = async (storage: string): Promise<ReadonlyArray<string>> => {
  try {
    return await readdir(storage)
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return []
    throw thrown
  }
}

/** No object store keeps the times and sizes of the fixture. */
const filesOf = ({ storage }: Installation.Installation): E.Either<Refusal, string> =>
  typeof storage === 'string'
    ? E.right(storage)
    : E.left(
        failed(`the fixture is files, and CANOPY_STORAGE is the object store ${S3Url.toText(storage)}. ${whatToDo}`),
      )

const refuseUsedStorage = (storage: string): TE.TaskEither<Refusal, void> =>
  pipe(
    TE.tryCatch(() => namesIn(storage), causeOf),
    TE.mapLeft((cause) => failed(`the storage ${storage} cannot be read: ${cause}`)),
    TE.flatMap(({ length }) =>
      length === 0 ? TE.right(undefined) : inUse(`its storage ${storage} holds ${length} areas`),
    ),
  )

const refuseRecords = (
  what: string,
  records: TE.TaskEither<Failure.External, ReadonlyArray<unknown>>,
): TE.TaskEither<Refusal, void> =>
  pipe(
    records,
    TE.mapLeft(({ cause }) => failed(`the registry failed: ${causeOf(cause)}`)),
    TE.flatMap(({ length }) => (length === 0 ? TE.right(undefined) : inUse(`its registry has ${length} ${what}`))),
  )

const seedAreas = (storage: string): TE.TaskEither<Refusal, unknown> =>
  pipe(
    fixture(false).accounts,
    TE.traverseSeqArray(({ id, area }) =>
      TE.tryCatch(
        () => seedDirectory(join(storage, id), area),
        (thrown) => failed(`the area of account ${id} cannot be seeded below ${storage}: ${causeOf(thrown)}`),
      ),
    ),
  )

const seedInto =
  (storage: string) =>
  (writer: RegistryWriter): TE.TaskEither<Refusal, void> =>
    pipe(
      refuseRecords('accounts', writer.accounts.all),
      TE.flatMap(() => refuseRecords('triggers', writer.triggers.all)),
      TE.flatMap(() => seedAreas(storage)),
      TE.flatMap(() =>
        pipe(
          seedRegistry(writer)(fixture(false)),
          TE.mapLeft((left) => failed(`the registry cannot be seeded: ${causeOf(left)}`)),
        ),
      ),
    )

/** Only into an installation in which nothing is yet. */
const seedInstallation = (installation: Installation.Installation): TE.TaskEither<Refusal, void> =>
  pipe(
    TE.fromEither(filesOf(installation)),
    TE.tap(refuseUsedStorage),
    TE.flatMap((storage) =>
      TE.bracket(
        pipe(
          openRegistryWriter(installation.registry),
          TE.mapLeft(({ message }) => failed(message)),
        ),
        seedInto(storage),
        (writer) => TE.fromTask(writer.close),
      ),
    ),
  )

const seeded = (installation: Installation.Installation): Written => ({
  stdout: [
    `The fixture is seeded in ${installation.data}.`,
    'Start the server with the same variables, and with CANOPY_FAILED_LOOKUPS=0, since many questions hold a wrong token.',
    'Then ask it:',
    '',
    `  canopy-harness conformance ${Installation.baseUrl(installation)} --exact`,
    '',
  ].join('\n'),
  exit: 0,
})

const seed = ({ cwd, variables }: CommandEnv): TE.TaskEither<Refusal, Written> =>
  pipe(
    withConfigFile(cwd, variables),
    E.flatMap((all) => Installation.fromVariables(cwd, all)),
    E.mapLeft((problems) => wrongUsage(problems.join('\n'))),
    TE.fromEither,
    TE.tap(seedInstallation),
    TE.map(seeded),
  )

/** Seeds the fixture into the installation that the environment names, or describes it. */
export const makeFixture =
  ({ describe, everyU64 }: FixtureOptions): Command =>
  (env) => {
    if (describe === true) return TE.right({ stdout: `${jsonText(fixture(everyU64 === true))}\n`, exit: 0 })
    return everyU64 === true
      ? TE.left(wrongUsage('--every-u64 goes with --describe only: no disk holds such sizes and times'))
      : seed(env)
  }
