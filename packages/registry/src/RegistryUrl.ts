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
  return path === ''
    ? wrong('the path of the SQLite file is missing')
    : path === ':memory:'
      ? wrong('a registry in memory would be empty in every other process')
      : path.startsWith('//')
        ? wrong('a SQLite file has no host')
        : path.includes('\0') || path.includes('?')
          ? wrong('the path of the SQLite file may not contain "?" or NUL')
          : E.right({ engine: 'SQLite', path: resolve(cwd, path) })
}

const ofPostgresql = (text: string): E.Either<string, RegistryUrl> =>
  !URL.canParse(text)
    ? wrong('the PostgreSQL URL cannot be read (percent-encode special characters of a password)')
    : new URL(text).pathname.length <= 1
      ? wrong('the PostgreSQL URL does not name a database')
      : // A slash in the password ends the host: what follows would be told as the name of the database.
        new URL(text).pathname.includes('@')
        ? wrong(
            'the name of the PostgreSQL database may not contain "@" (percent-encode special characters of a password)',
          )
        : E.right({ engine: 'PostgreSQL', connectionString: text })

/** A relative path is taken from `cwd`. `left` says what is wrong and what to write, without repeating the text. */
export const fromString = (cwd: string, text: string): E.Either<string, RegistryUrl> =>
  text.startsWith('sqlite:')
    ? ofSqlite(cwd, text.slice('sqlite:'.length))
    : /^postgres(ql)?:\/\//.test(text)
      ? ofPostgresql(text)
      : wrong('is not the URL of a registry')

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
        E.match(
          (message) => t.failure('(not shown)', context, message),
          (url) => t.success(url),
        ),
      ),
    (url) => (url.engine === 'SQLite' ? `sqlite:${url.path}` : url.connectionString),
  )
