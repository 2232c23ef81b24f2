import { existsSync, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'

interface Environment {
  readonly [name: string]: string | undefined
  readonly CANOPY_TEST_PG_BIN?: string | undefined
  readonly PATH?: string | undefined
}

const debian = '/usr/lib/postgresql'

/** Debian and its kin keep each version apart; the newest comes first. */
const debianFolders = (): ReadonlyArray<string> =>
  existsSync(debian)
    ? readdirSync(debian)
        .sort((x, y) => Number(y) - Number(x))
        .map((version) => join(debian, version, 'bin'))
    : []

const isWhole = (folder: string): boolean =>
  ['initdb', 'postgres', 'createdb'].every((program) => existsSync(join(folder, program)))

/**
 * The folder of PostgreSQL's programs: `CANOPY_TEST_PG_BIN` alone when it is set, otherwise the first one in `PATH` or
 * where Debian keeps it. `left` says what to install.
 */
export const findPostgres = (environment: Environment): E.Either<string, string> =>
  pipe(
    environment.CANOPY_TEST_PG_BIN === undefined
      ? [...(environment.PATH ?? '').split(delimiter), ...debianFolders()]
      : [environment.CANOPY_TEST_PG_BIN],
    RA.findFirst(isWhole),
    E.fromOption(
      () =>
        'PostgreSQL is not installed here: install the package postgresql (Debian, Ubuntu: apt-get install postgresql), ' +
        'or name the folder of initdb and postgres in CANOPY_TEST_PG_BIN',
    ),
  )
