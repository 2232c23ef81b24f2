import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findPostgres, startPostgres } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'

const run = promisify(execFile)
const script = fileURLToPath(new URL('../../../../deploy/postgresql/roles.sql', import.meta.url))

/** Runs a program of PostgreSQL on a database, and returns its output. */
export const postgresql = async (program: string, database: string, ...parameters: ReadonlyArray<string>) => {
  const folder = pipe(
    findPostgres(process.env),
    E.getOrElse(() => ''),
  )
  const { stdout } = await run(join(folder, program), [`--dbname=${database}`, ...parameters], {
    env: { PATH: process.env['PATH'], CANOPY_ADMIN_PASSWORD: "ad'min", CANOPY_SERVER_PASSWORD: 'server' },
  })
  return stdout
}

export const urlAs = (role: string, database: string): string => {
  const url = new URL(database)
  url.username = role
  return url.href
}

/** PostgreSQL with a database that has the roles of the documentation. */
export const postgresWithRoles = async () => {
  const postgres = await startPostgres()
  const database = await postgres.newDatabase()
  await postgresql('psql', database, '--quiet', `--file=${script}`)
  return { ...postgres, database, admin: urlAs('canopy_admin', database), server: urlAs('canopy_server', database) }
}
