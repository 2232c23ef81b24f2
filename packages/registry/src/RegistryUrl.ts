import { resolve } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'

/** The parsed value of `CANOPY_REGISTRY`. */
export type RegistryUrl = SqliteUrl | PostgresqlUrl

export interface SqliteUrl {
  readonly engine: 'SQLite'
  /** Absolute. */
  readonly path: string
}

export interface PostgresqlUrl {
  readonly engine: 'PostgreSQL'
  /** May name several hosts and contain a password. Show {@link describe} in its place. */
  readonly connectionString: string
}

const urlHint =
  'use "sqlite:" and a file path, such as sqlite:data/registry.db or sqlite:/var/lib/canopy/registry.db, ' +
  'or "postgres://user@host:5432/database"'

const refuse = (problem: string): E.Either<string, never> => E.left(`${problem}: ${urlHint}`)

const parseSqlite = (cwd: string, text: string): E.Either<string, RegistryUrl> => {
  const path = text.startsWith('///') ? text.slice(2) : text
  if (path === '') return refuse('the path of the SQLite file is missing')
  if (path === ':memory:') return refuse('an in-memory registry would be empty in every other process')
  if (path.startsWith('//')) return refuse('a SQLite URL cannot have a host')
  if (path.includes('\0') || path.includes('?'))
    return refuse('the path of the SQLite file must not contain "?" or NUL')
  return E.right({ engine: 'SQLite', path: resolve(cwd, path) })
}

const encode = '(percent-encode special characters in the password)'

const authority = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s

/** Splits a PostgreSQL URL with several hosts (`host:5432,host2:5432`) into one URL per host, in their order. */
export const hostsOf = (connectionString: string): ReadonlyArray<string> => {
  const [, before = '', hosts = '', after = ''] = authority.exec(connectionString) ?? []
  return hosts.split(',').map((host) => before + host + after)
}

type Parameter = readonly [pattern: RegExp, must: string]

const anything: Parameter = [/^/, '']

const oneOf = (...words: ReadonlyArray<string>): Parameter => [
  new RegExp(`^(${words.join('|')})$`),
  `must be one of ${words.join(', ')}`,
]

/** The driver ignores other parameters and unknown values: refuse them here. */
const parameters: ReadonlyMap<string, Parameter> = new Map([
  ['host', [/^[^,]*$/, 'must be a single host: list several hosts before the path, as in host:5432,host2:5432']],
  ['port', [/^[0-9]{1,5}$/, 'must be a single number']],
  ['user', anything],
  ['password', anything],
  ['application_name', anything],
  ['options', anything],
  ['sslmode', oneOf('disable', 'no-verify', 'require', 'verify-ca', 'verify-full')],
  ['sslrootcert', anything],
  ['sslcert', anything],
  ['sslkey', anything],
  ['sslnegotiation', oneOf('postgres', 'direct')],
  ['target_session_attrs', oneOf('any', 'primary')],
])

/** The first wrong parameter. */
const parameterProblem = ({ searchParams }: URL): string | undefined => {
  for (const [name, value] of searchParams) {
    const parameter = parameters.get(name)
    if (parameter === undefined) {
      // After a "&" in a password, the rest of the password looks like a name.
      const quoted = searchParams.has('password') ? '' : ` "${name}"`
      return `the PostgreSQL URL has an unknown parameter${quoted}: remove it, or use one of ${[...parameters.keys()].join(', ')}`
    }
    const [pattern, must] = parameter
    if (!pattern.test(value)) return `the ${name} parameter in the PostgreSQL URL ${must}`
  }
  return undefined
}

const parsePostgresql = (text: string): E.Either<string, RegistryUrl> => {
  const hosts = hostsOf(text)
  // A "/", "?" or "#" in a password ends the host too early: host and database would show a part of the password.
  if (/[@#]/.test(authority.exec(text)?.[3] ?? ''))
    return refuse(`the PostgreSQL URL must not contain "@" or "#" after the host ${encode}`)
  const [url] = hosts
  if (url === undefined || !hosts.every((each) => URL.canParse(each)))
    return refuse(`the PostgreSQL URL is not valid ${encode}`)
  if (hosts.length > 1 && hosts.some((each) => new URL(each).hostname === ''))
    return refuse('a host in the PostgreSQL URL is empty')
  const { pathname } = new URL(url)
  if (pathname.length <= 1) return refuse('the PostgreSQL URL has no database name')
  const problem = parameterProblem(new URL(url))
  return problem === undefined ? E.right({ engine: 'PostgreSQL', connectionString: text }) : E.left(problem)
}

/** A relative path is resolved against `cwd`. `left` describes the problem without repeating the text, which may hold a password. */
export const fromString = (cwd: string, text: string): E.Either<string, RegistryUrl> => {
  if (text.startsWith('sqlite:')) return parseSqlite(cwd, text.slice('sqlite:'.length))
  return /^postgres(ql)?:\/\//.test(text) ? parsePostgresql(text) : refuse('this is not a registry URL')
}

/** The inverse of {@link fromString}. May contain a password. */
export const toText = (url: RegistryUrl): string =>
  url.engine === 'SQLite' ? `sqlite:${url.path}` : url.connectionString

/** For people and logs, without password and parameters. */
export const describe = (url: RegistryUrl): string => {
  if (url.engine === 'SQLite') return toText(url)
  const hosts = hostsOf(url.connectionString)
  const { protocol, username, pathname } = new URL(hosts[0] ?? '')
  return `${protocol}//${username}${username === '' ? '' : '@'}${hosts.map((each) => new URL(each).host).join()}${pathname}`
}
