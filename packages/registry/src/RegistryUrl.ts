import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'

/** Where the registry is: what `CANOPY_REGISTRY` holds. */
export type RegistryUrl = SqliteUrl | PostgresqlUrl

export interface SqliteUrl {
  readonly engine: 'SQLite'
  /** Absolute. */
  readonly path: string
}

export interface PostgresqlUrl {
  readonly engine: 'PostgreSQL'
  /** May hold a password: show {@link describe}, never this. */
  readonly connectionString: string
}

const whatToWrite =
  'write "sqlite:" and the path of a file, for example sqlite:data/registry.db or sqlite:/var/lib/canopy/registry.db, ' +
  'or "postgres://user@host:5432/database"'

const wrong = (problem: string): E.Either<string, never> => E.left(`${problem}: ${whatToWrite}`)

const ofSqlite = (cwd: string, place: string): E.Either<string, RegistryUrl> => {
  const path = place.startsWith('///') ? place.slice(2) : place
  if (path === '') return wrong('the path of the SQLite file is missing')
  if (path === ':memory:') return wrong('a registry in memory would be empty in every other process')
  if (path.startsWith('//')) return wrong('a SQLite file has no host')
  if (path.includes('\0') || path.includes('?')) return wrong('the path of the SQLite file may not contain "?" or NUL')
  return E.right({ engine: 'SQLite', path: resolve(cwd, path) })
}

const encode = '(percent-encode special characters of a password)'

const ofPostgresql = (text: string): E.Either<string, RegistryUrl> => {
  if (!URL.canParse(text)) return wrong(`the PostgreSQL URL cannot be read ${encode}`)
  const { pathname } = new URL(text)
  if (pathname.length <= 1) return wrong('the PostgreSQL URL does not name a database')
  // A slash in the password ends the host: what follows would be shown as the name of the database.
  if (pathname.includes('@')) return wrong(`the name of the PostgreSQL database may not contain "@" ${encode}`)
  return E.right({ engine: 'PostgreSQL', connectionString: text })
}

/** A relative path is taken from `cwd`. `left` says what is wrong and what to write, without repeating the text. */
export const fromString = (cwd: string, text: string): E.Either<string, RegistryUrl> => {
  if (text.startsWith('sqlite:')) return ofSqlite(cwd, text.slice('sqlite:'.length))
  return /^postgres(ql)?:\/\//.test(text) ? ofPostgresql(text) : wrong('is not the URL of a registry')
}

/** For people and logs: without password and parameters. */
export const describe = (url: RegistryUrl): string => {
  if (url.engine === 'SQLite') return `sqlite:${url.path}`
  const { protocol, username, host, pathname } = new URL(url.connectionString)
  return `${protocol}//${username}${username === '' ? '' : '@'}${host}${pathname}`
}

const isRegistryUrl = (u: unknown): u is RegistryUrl =>
  typeof u === 'object' && u !== null && 'engine' in u && (u.engine === 'SQLite' || u.engine === 'PostgreSQL')

/** The codec of `CANOPY_REGISTRY`; its errors do not repeat the text, which may hold a password. */
export const codec = (cwd: string): t.Type<RegistryUrl, string, unknown> =>
  new t.Type(
    'RegistryUrl',
    isRegistryUrl,
    (u, context) =>
      pipe(
        typeof u === 'string' ? fromString(cwd, u) : wrong('is not text'),
        E.mapLeft((message) => [{ value: '(not shown)', context, message }]),
      ),
    (url) => (url.engine === 'SQLite' ? `sqlite:${url.path}` : url.connectionString),
  )
