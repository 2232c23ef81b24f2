import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findPostgres, postgresIsTested, startPostgres } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'

const newDatabase = async (data: string) => `sqlite:${data}/registry.sqlite`
const sqlite = { name: 'SQLite', start: async () => ({ newDatabase, stop: async (): Promise<void> => undefined }) }
const inPostgresql = { name: 'PostgreSQL', start: startPostgres }

export { postgresIsTested }

export const registries = postgresIsTested ? [sqlite, inPostgresql] : [sqlite]

const script = fileURLToPath(new URL('../../../deploy/postgresql/roles.sql', import.meta.url))

export const postgresql = async (program: string, database: string, ...parameters: ReadonlyArray<string>) => {
  const folder = E.getOrElse(() => '')(findPostgres(process.env))
  const { stdout } = await promisify(execFile)(join(folder, program), [`--dbname=${database}`, ...parameters], {
    env: { PATH: process.env['PATH'], CANOPY_ADMIN_PASSWORD: "ad'min", CANOPY_SERVER_PASSWORD: 'server' },
  })
  return stdout
}

export const urlAs = (role: string, database: string) => Object.assign(new URL(database), { username: role }).href

/** PostgreSQL with a database that has the roles of the documentation. */
export const postgresWithRoles = async () => {
  const postgres = await startPostgres()
  const database = await postgres.newDatabase()
  await postgresql('psql', database, '--quiet', `--file=${script}`)
  return { ...postgres, database, admin: urlAs('canopy_admin', database), server: urlAs('canopy_server', database) }
}
