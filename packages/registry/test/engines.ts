import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPostgres, type Postgres, postgresIsTested, startPostgres } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { type Kysely, sql } from 'kysely'
import { openRegistryWriter } from '../src/admin/RegistryWriter.js'
import { writePostgresql } from '../src/postgresql.js'
import type { PostgresqlUrl, RegistryUrl } from '../src/RegistryUrl.js'
import type { Schema } from '../src/Schema.js'
import { writeSqlite } from '../src/sqlite.js'
import { right } from './right.js'
import { newAccount, path, user } from './values.js'

export interface Running {
  readonly newUrl: () => Promise<RegistryUrl>
  readonly newRegistry: () => Promise<RegistryUrl>
  readonly postgres?: Postgres
  readonly stop: () => Promise<void>
}

export interface Engine {
  readonly name: RegistryUrl['engine']
  readonly start: () => Promise<Running>
}

const make = async <U extends RegistryUrl>(url: U): Promise<U> => {
  await (await right(openRegistryWriter(url))).close()
  return url
}

export const sqlite: Engine = {
  name: 'SQLite',
  start: async () => {
    const home = await mkdtemp(join(tmpdir(), 'canopy-registry-'))
    let registries = 0
    const newUrl = async () => {
      registries += 1
      return { engine: 'SQLite', path: join(home, `${registries}`, 'new', 'registry.db') } as const
    }
    return {
      newUrl,
      newRegistry: async () => make(await newUrl()),
      stop: () => rm(home, { recursive: true, force: true }),
    }
  },
}

const postgresql: Engine = {
  name: 'PostgreSQL',
  start: async () => {
    const postgres = await startPostgres()
    const own: PostgresqlUrl = { engine: 'PostgreSQL', connectionString: postgres.url }
    const server = await rawDatabase(own)
    let databases = 0
    const newDatabase = async (template: string): Promise<PostgresqlUrl> => {
      databases += 1
      const name = `registry_${databases}`
      await sql`create database ${sql.id(name)} template ${sql.id(template)}`.execute(server)
      const url = new URL(postgres.url)
      url.pathname = name
      return { ...own, connectionString: url.href }
    }
    const newUrl = () => newDatabase('template1')
    const template = new URL((await make(await newUrl())).connectionString).pathname.slice(1)
    return {
      newUrl,
      newRegistry: () => newDatabase(template),
      postgres,
      stop: async () => {
        await server.destroy()
        await postgres.stop()
      },
    }
  },
}

const options = { maxConnections: 2, connectTimeoutMs: 10_000, statementTimeoutMs: 30_000 }

/** Direct access to the tables, for changes that no writer makes. */
export const rawDatabase = async (url: RegistryUrl): Promise<Kysely<Schema>> =>
  (url.engine === 'SQLite' ? await writeSqlite(url.path) : writePostgresql(url.connectionString, options)).db

export const serverOf = ({ postgres }: Running): Postgres => {
  if (postgres === undefined) throw new Error('this suite is for PostgreSQL')
  return postgres
}

/** The URL of a registry in PostgreSQL with the public account 1. */
export const publicPostgresql = async ({ newRegistry }: Running): Promise<PostgresqlUrl> => {
  const url = await newRegistry()
  if (url.engine !== 'PostgreSQL') throw new Error('this suite is for PostgreSQL')
  const writer = await right(openRegistryWriter(url))
  await right(writer.accounts.create(newAccount()))
  await right(writer.settings.set(user('1'), path('/'), 'public'))
  await writer.close()
  return url
}

/** With PostgreSQL if it is installed. */
export const engines: ReadonlyArray<Engine> = postgresIsTested ? [sqlite, postgresql] : [sqlite]
if (!postgresIsTested) console.warn(`These tests run over SQLite only. ${E.toUnion(findPostgres(process.env))}`)
