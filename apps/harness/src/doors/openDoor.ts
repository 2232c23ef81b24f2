import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RegistryUrl } from '@canopy/registry'
import { findPostgres, startPostgres } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { filesSubjects } from './filesSubjects.js'
import { memorySubjects } from './memorySubjects.js'
import { promised } from './promised.js'
import type { Subjects } from './Subjects.js'

export const doorNames = ['memory', 'sqlite', 'postgresql'] as const
export type DoorName = (typeof doorNames)[number]

export const titles: { readonly [Name in DoorName]: string } = {
  memory: memorySubjects.name,
  sqlite: 'files + SQLite',
  postgresql: 'files + PostgreSQL',
}

const newHome = (): Promise<string> => mkdtemp(join(tmpdir(), 'canopy-harness-'))

const overSqlite = async (): Promise<Subjects> => {
  const home = await newHome()
  const newUrl = async (): Promise<RegistryUrl.RegistryUrl> => ({
    engine: 'SQLite',
    path: join(await mkdtemp(join(home, 'registry-')), 'registry.sqlite'),
  })
  return filesSubjects(titles.sqlite, home, { newUrl, close: async () => undefined })
}

const overPostgresql = async (): Promise<Subjects> => {
  const { newDatabase, stop } = await startPostgres()
  const newUrl = async () => promised(TE.fromEither(RegistryUrl.fromString('/', await newDatabase())))
  return filesSubjects(titles.postgresql, await newHome(), { newUrl, close: stop })
}

/** `left` says what is missing on this machine. */
export const missingFor = (
  door: DoorName,
  variables: Readonly<Record<string, string | undefined>>,
): E.Either<string, DoorName> =>
  door === 'postgresql'
    ? pipe(
        findPostgres(variables),
        E.map(() => door),
      )
    : E.right(door)

export const openDoor = (door: DoorName): Promise<Subjects> => {
  switch (door) {
    case 'memory':
      return Promise.resolve(memorySubjects)
    case 'sqlite':
      return overSqlite()
    case 'postgresql':
      return overPostgresql()
  }
}
