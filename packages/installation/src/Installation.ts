import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { RegistryUrl } from '@canopy/registry'
import { StorageRoot } from '@canopy/storage-fs'
import { S3Url } from '@canopy/storage-s3'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import { moduleUrlIn } from './storageModule.js'
import { visibly } from './terminal.js'
import * as Variable from './Variable.js'

export type Variables = Variable.Variables

/** The location of all areas: a directory (a string), a key prefix of an object store, or a module (a URL). */
export type Storage = StorageRoot.StorageRoot | S3Url.S3Url | URL

/** Relative paths are resolved against it. `left` if it has been removed. */
export const workingDirectory = (cwd: IO.IO<string>): E.Either<Variable.Problems, string> =>
  E.tryCatch(cwd, () => ['the working directory no longer exists: change to another one'])

// Spaces only: Node 20 treats a tab as part of the name, or even of the next line's name.
const name = String.raw`^ *(?:export )?[\w.-]+ *=`
const quoted = new RegExp(String.raw`(${name}) *(["'\x60]).*?\2`, 'gms')
const isReadable = new RegExp(String.raw`${name}(?!\t| *["'\x60])|^ *(#|\r?$)`)

/**
 * Finds lines that Node would ignore because it cannot read them. Problems do not repeat a line, which may contain a password.
 */
const parseFile = (text: string): E.Either<Variable.Problems, Variables> => {
  const problems = text
    // Blanks out quoted values, which may have several lines.
    .replace(quoted, (all, begin: string) => begin + all.replace(/[^\n]/g, ''))
    .split('\n')
    .flatMap((line, index) =>
      isReadable.test(line)
        ? []
        : `CANOPY_CONFIG: line ${index + 1} must be NAME=value or start with #, with matching quotes and no tabs around the name`,
    )
  return problems.length > 0 ? E.left(problems) : E.right(parseEnv(text))
}

/**
 * Reads a file. `left` is the reason. Rejects a pipe, because a reload reads the file again, and a pipe can be read only once.
 */
const readText = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () => {
      if (!statSync(path).isFile())
        throw new Error(
          `${path} is a directory, a pipe or a device. Write the variables to a regular file, or set them in the environment`,
        )
      // Some editors write a byte order mark. Node would read it as a part of the first name.
      return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
    },
    (thrown) => {
      const { message } = E.toError(thrown)
      // Only some errors name their file.
      return message.includes(path) ? message : `${message} '${path}'`
    },
  )

/**
 * Adds the variables from the file that `CANOPY_CONFIG` names. The environment overrides the file. Every process reads the
 * file when it starts, so a reload applies changes.
 */
export const withConfigFile = (cwd: string, variables: Variables): E.Either<Variable.Problems, Variables> => {
  const file = variables['CANOPY_CONFIG']
  if (file === undefined) return E.right(variables)
  if (file === '') return E.left(['CANOPY_CONFIG is empty: set it to a file, or unset it'])
  return pipe(
    readText(resolve(cwd, file)),
    E.mapLeft((reason) => [`CANOPY_CONFIG must be a readable regular file: ${reason}`]),
    E.flatMap(parseFile),
    E.map((found) => ({ ...found, ...variables })),
  )
}

const storageIn =
  (cwd: string) =>
  (text: string): E.Either<string, Storage> => {
    if (text.startsWith('s3:')) return S3Url.fromText(text)
    if (text.startsWith('file:')) return StorageRoot.fromText(cwd)(text)
    if (text.startsWith('module:')) return moduleUrlIn(cwd)(text)
    return E.left(
      'must be a directory URL such as "file:data" or "file:///srv/canopy", an object store URL such as "s3://bucket/prefix", or a module URL such as "module:/opt/adapter.js"',
    )
  }

/**
 * Describes a likely mistake in a location, if any. Quotes only control characters, because a value may contain a password.
 */
export const suspiciousPart = (value: string): string | undefined => {
  const [control] = /\p{Cc}/u.exec(value) ?? []
  if (control !== undefined)
    return `must not contain the control character ${visibly(control)}${control === '\r' ? ': does the file that sets it have Windows line endings?' : ''}`
  if (/^["'`]|["'`]$/.test(value))
    return 'must not begin or end with a quotation mark, which would become part of the value'
  if (/^ | $/.test(value)) return 'must not begin or end with a space, which would become part of the value'
  return /^(file:|sqlite:)?~/.test(value)
    ? 'must not begin with ~, which only a shell expands: use the full path'
    : undefined
}

/** Refuses quotation marks, `~`, and leading and trailing spaces, because no shell has removed or expanded them here. */
const place =
  <A>(parse: Variable.Variable<A>['parse']): Variable.Variable<A>['parse'] =>
  (text) => {
    const problem = suspiciousPart(text)
    return problem === undefined ? parse(text) : E.left(problem)
  }

/** Reports whether a host is the path of a unix socket. */
export const isSocket = (host: string): boolean => host.startsWith('/')

/** The longest path that fits into the address of a unix socket. */
const maxSocketBytes = 107

const isHost = (text: string): boolean =>
  isSocket(text) ? /^[\w.@+/-]*[\w.@+-]$/.test(text) && text.length <= maxSocketBytes : /^[A-Za-z0-9._:%-]+$/.test(text)

/** Kubernetes sets `CANOPY_PORT=tcp://10.0.0.5:8080` in every pod beside a Service that is named canopy. */
const isLinkOfService = (port: string): boolean => port.startsWith('tcp://')

const portFrom = (text: string): E.Either<string, number> =>
  isLinkOfService(text)
    ? E.left(
        'must be a port, not the URL that Kubernetes sets for a Service named canopy: set enableServiceLinks: false in the pod',
      )
    : Variable.wholeNumber(0, 65_535, 'must be a whole number from 0 to 65535, such as 8080 (the default)')(text)

/** Storage and registry are in the data directory by default. */
const variablesIn = (cwd: string, variables: Variables) => {
  const data = resolve(cwd, variables['CANOPY_DATA'] ?? './data')
  const follows = variables['CANOPY_REGISTRY'] === undefined ? '(default, derived from CANOPY_DATA) ' : ''
  return {
    /** The data directory, absolute. */
    data: Variable.of(
      'CANOPY_DATA',
      data,
      place((text) =>
        text === ''
          ? E.left('must not be empty: set it to a directory, or unset it for ./data')
          : E.right(resolve(cwd, text)),
      ),
    ),
    storage: Variable.of('CANOPY_STORAGE', StorageRoot.urlOf(join(data, 'areas')), place(storageIn(cwd))),
    registry: Variable.of(
      'CANOPY_REGISTRY',
      `sqlite:${join(data, 'registry.sqlite')}`,
      flow(
        place((text) => RegistryUrl.fromString(cwd, text)),
        E.mapLeft((problem) => follows + problem),
      ),
    ),
    /** An address, or the absolute path of a unix socket, which has no port. */
    host: Variable.of(
      'CANOPY_HOST',
      '127.0.0.1',
      E.fromPredicate(
        isHost,
        () =>
          `must be a host name, an IP address without brackets, such as 127.0.0.1 (the default) or ::1, or the absolute path of a unix socket, of at most ${maxSocketBytes} characters (letters, digits and . _ @ + - /)`,
      ),
    ),
    port: Variable.of('CANOPY_PORT', '8080', portFrom),
    /** The URL prefix, for proxies that do not strip it: empty, or like `/files`. */
    basePath: Variable.of(
      'CANOPY_BASE_PATH',
      '',
      Variable.text(
        /^(\/(?!\.\.?(\/|$))[A-Za-z0-9._~-]+)*$/,
        'must be unset or a path such as /files or /a/b, without a trailing slash; names may contain letters, digits and . _ ~ -',
      ),
    ),
  }
}

/** The configuration that all apps of one installation share. */
export type Installation = Variable.Values<ReturnType<typeof variablesIn>>

/** The names of all variables of an installation. */
export const names: ReadonlyArray<string> = Object.values(variablesIn('/', {})).map(({ name }) => name)

/** For commands, which listen on no port. */
export const withoutServiceLink = (variables: Variables): Variables =>
  isLinkOfService(variables['CANOPY_PORT'] ?? '') ? { ...variables, CANOPY_PORT: undefined } : variables

/** Parses the variables. `left` contains all problems. Relative paths are resolved against `cwd`. */
export const fromVariables = (cwd: string, variables: Variables): E.Either<Variable.Problems, Installation> =>
  // A socket has no port.
  Variable.readAll(
    variablesIn(cwd, variables),
    isSocket(variables['CANOPY_HOST'] ?? '') ? { ...variables, CANOPY_PORT: undefined } : variables,
  )

const storageText = (storage: Storage): string => {
  if (typeof storage === 'string') return StorageRoot.urlOf(storage)
  return storage instanceof URL ? storage.href : S3Url.toText(storage)
}

/** Returns the inverse of {@link fromVariables}, for any working directory. */
export const toVariables = ({ data, storage, registry, host, port, basePath }: Installation): Variables => ({
  CANOPY_DATA: data,
  CANOPY_STORAGE: storageText(storage),
  CANOPY_REGISTRY: RegistryUrl.toText(registry),
  CANOPY_HOST: host,
  CANOPY_PORT: `${port}`,
  CANOPY_BASE_PATH: basePath,
})

/** Returns the origin URL. A unix socket is written as nginx does. */
export const urlAt = (host: string, port: number | string): string =>
  isSocket(host) ? `http://unix:${host}:` : `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** Returns the loopback address of a server that listens on all addresses. */
export const reachableHost = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)

/** Returns the base URL for use on this machine. A free port (0) is written `PORT`, because only the log of the server names it. */
export const baseUrl = ({ host, port, basePath }: Pick<Installation, 'host' | 'port' | 'basePath'>): string =>
  urlAt(reachableHost(host), port === 0 ? 'PORT' : port) + basePath
