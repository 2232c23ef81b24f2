import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { RegistryUrl } from '@canopy/registry'
import { StorageRoot } from '@canopy/storage-fs'
import { S3Url } from '@canopy/storage-s3'
import * as E from 'fp-ts/lib/Either.js'
import { flow, pipe } from 'fp-ts/lib/function.js'
import type * as IO from 'fp-ts/lib/IO.js'
import * as Setting from './Setting.js'
import { visibly } from './terminal.js'

export type Variables = Setting.Variables

/** Where the areas are: a directory, which is a string, or a key prefix of an object store, which is an object. */
export type Storage = StorageRoot.StorageRoot | S3Url.S3Url

/** The working directory, against which relative paths are resolved; `left` when that directory has been removed. */
export const workingDirectory = (ask: IO.IO<string>): E.Either<Setting.Problems, string> =>
  E.tryCatch(ask, () => ['the working directory does not exist any more: change to another one'])

// Spaces only: Node 20 takes a tab for a part of the name, also of the line after it.
const name = String.raw`^ *(?:export )?[\w.-]+ *=`
const quoted = new RegExp(String.raw`(${name}) *(["'\x60]).*?\2`, 'gms')
const isFine = new RegExp(String.raw`${name}(?!\t| *["'\x60])|^ *(#|\r?$)`)

/** What is no variable would be left out without a word. Nothing of the line is repeated: it may hold a password. */
const variablesIn = (text: string): E.Either<Setting.Problems, Variables> => {
  const problems = text
    // A value in quotes may have several lines, which are none of the file.
    .replace(quoted, (all, begin: string) => begin + all.slice(begin.length).replace(/[^\n]/g, ''))
    .split('\n')
    .flatMap((line, index) =>
      isFine.test(line)
        ? []
        : `CANOPY_CONFIG: line ${index + 1} of the file must be NAME=value or begin with #, without tabs before or after the name, its quotes closed`,
    )
  return problems.length > 0 ? E.left(problems) : E.right(parseEnv(text))
}

/** `left` says why. A reload reads the file again, but a pipe gives its content only once. */
const contentOf = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () => {
      if (!statSync(path).isFile())
        throw new Error(
          `${path} is a directory, a pipe or a device. Write the variables to a regular file, or set them in the environment`,
        )
      // Some editors begin a file with a mark of the byte order, which Node would take for a part of the first name.
      return readFileSync(path, 'utf8').replace(/^\uFEFF/, '')
    },
    (thrown) => {
      const { message } = E.toError(thrown)
      // Some errors of a file name it, some do not.
      return message.includes(path) ? message : `${message} '${path}'`
    },
  )

/**
 * The environment, and behind it the variables in the file that `CANOPY_CONFIG` names. The environment of a process does
 * not change; each process that starts reads the file again, so that a reload finds what was changed.
 */
export const withConfigFile = (cwd: string, variables: Variables): E.Either<Setting.Problems, Variables> => {
  const file = variables['CANOPY_CONFIG']
  if (file === undefined) return E.right(variables)
  if (file === '') return E.left(['CANOPY_CONFIG is empty: name a file, or unset it'])
  return pipe(
    contentOf(resolve(cwd, file)),
    E.mapLeft((why) => [`CANOPY_CONFIG must name a regular file that can be read: ${why}`]),
    E.flatMap(variablesIn),
    E.map((found) => ({ ...found, ...variables })),
  )
}

const storageIn =
  (cwd: string) =>
  (text: string): E.Either<string, Storage> => {
    if (text.startsWith('s3:')) return S3Url.fromText(text)
    if (text.startsWith('file:')) return StorageRoot.fromText(cwd)(text)
    return E.left(
      'must be a directory, such as "file:data" or "file:///srv/canopy", or an object store, such as "s3://bucket/prefix"',
    )
  }

/** What makes a value another place than was meant. Nothing of it is repeated but control characters: it may hold a password. */
export const oddityOf = (value: string): string | undefined => {
  const [control] = /\p{Cc}/u.exec(value) ?? []
  if (control !== undefined)
    return `has the control character ${visibly(control)} in it: does its file have the line ends of Windows?`
  if (/^["'`]|["'`]$/.test(value)) return 'has a quotation mark at an end, which is a part of it here: write it without'
  if (/^ | $/.test(value)) return 'has a space at an end, which is a part of it here: write it without'
  return /^(file:|sqlite:)?~/.test(value) ? 'begins with ~, which only a shell reads: write the whole path' : undefined
}

/** Text that names a place. No shell reads it: what one would take away names another place. */
const place =
  <A>(parse: Setting.Setting<A>['parse']): Setting.Setting<A>['parse'] =>
  (text) => {
    const oddity = oddityOf(text)
    return oddity === undefined ? parse(text) : E.left(oddity)
  }

/** A host that is a file: what listens there is a unix socket. */
export const isSocket = (host: string): boolean => host.startsWith('/')

/** More does not fit into the kernel's address of a socket. */
const socketBytes = 107

const isHost = (text: string): boolean =>
  isSocket(text) ? /^[\w.@+/-]*[\w.@+-]$/.test(text) && text.length <= socketBytes : /^[A-Za-z0-9._:%-]+$/.test(text)

/** Kubernetes sets `CANOPY_PORT=tcp://10.0.0.5:8080` in every pod beside a Service that is named canopy. */
const isLinkOfService = (port: string): boolean => port.startsWith('tcp://')

const portFrom = (text: string): E.Either<string, number> =>
  isLinkOfService(text)
    ? E.left(
        'is a URL, which Kubernetes sets for a Service that is named canopy: write enableServiceLinks: false into the pod',
      )
    : Setting.wholeNumber(0, 65_535, 'must be a whole number from 0 to 65535, such as 8080 (the default)')(text)

/** Where the storage and the registry are not named, they are in the data directory. */
const settingsIn = (cwd: string, variables: Variables) => {
  const data = resolve(cwd, variables['CANOPY_DATA'] ?? './data')
  const follows = variables['CANOPY_REGISTRY'] === undefined ? 'follows from CANOPY_DATA: ' : ''
  return {
    /** The data directory, absolute. */
    data: Setting.of(
      'CANOPY_DATA',
      data,
      place((text) =>
        text === '' ? E.left('is empty: name a directory, or unset it for ./data') : E.right(resolve(cwd, text)),
      ),
    ),
    storage: Setting.of('CANOPY_STORAGE', StorageRoot.urlOf(join(data, 'areas')), place(storageIn(cwd))),
    registry: Setting.of(
      'CANOPY_REGISTRY',
      `sqlite:${join(data, 'registry.sqlite')}`,
      flow(
        place((text) => RegistryUrl.fromString(cwd, text)),
        E.mapLeft((problem) => follows + problem),
      ),
    ),
    /** An address, or the absolute path of a unix socket, which has no port. */
    host: Setting.of(
      'CANOPY_HOST',
      '127.0.0.1',
      E.fromPredicate(
        isHost,
        () =>
          `must be a host name, an IP address without brackets, such as 127.0.0.1 (the default) or ::1, or the absolute path of a unix socket: letters, digits and . _ @ + - /, ${socketBytes} at most`,
      ),
    ),
    port: Setting.of('CANOPY_PORT', '8080', portFrom),
    /** What every path begins with, as a proxy passes it on; empty, or `/` and names. */
    basePath: Setting.of(
      'CANOPY_BASE_PATH',
      '',
      Setting.text(
        /^(\/(?!\.\.?(\/|$))[A-Za-z0-9._~-]+)*$/,
        'must begin with / and not end with it, with names of letters, digits and . _ ~ - between, such as /files; or be unset',
      ),
    ),
  }
}

/** Where one installation of Canopy keeps its things and answers: what every app of it must read alike. */
export type Installation = Setting.Values<ReturnType<typeof settingsIn>>

/** The variables that are read here. */
export const names: ReadonlyArray<string> = Object.values(settingsIn('/', {})).map(({ name }) => name)

/** What a command needs, which listens nowhere. */
export const withoutServiceLink = (variables: Variables): Variables =>
  isLinkOfService(variables['CANOPY_PORT'] ?? '') ? { ...variables, CANOPY_PORT: undefined } : variables

/** `left` names every problem at once. Relative paths are resolved against `cwd`. */
export const fromVariables = (cwd: string, variables: Variables): E.Either<Setting.Problems, Installation> =>
  // A socket has no port.
  Setting.readAll(
    settingsIn(cwd, variables),
    isSocket(variables['CANOPY_HOST'] ?? '') ? { ...variables, CANOPY_PORT: undefined } : variables,
  )

/** As {@link fromVariables} reads it back from any working directory. */
export const toVariables = ({ data, storage, registry, host, port, basePath }: Installation): Variables => ({
  CANOPY_DATA: data,
  CANOPY_STORAGE: typeof storage === 'string' ? StorageRoot.urlOf(storage) : S3Url.toText(storage),
  CANOPY_REGISTRY: RegistryUrl.toText(registry),
  CANOPY_HOST: host,
  CANOPY_PORT: `${port}`,
  CANOPY_BASE_PATH: basePath,
})

/** As nginx writes the URL of a socket: a path is to follow. */
export const urlAt = (host: string, port: number | string): string =>
  isSocket(host) ? `http://unix:${host}:` : `http://${host.includes(':') ? `[${host}]` : host}:${port}`

/** A server that listens everywhere is asked on the loopback address. */
export const askedHost = (host: string): string => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)

/** To be pasted on this machine, before a path. A free port (0) is only in the log of the server, and is written `PORT`. */
export const baseUrl = ({ host, port, basePath }: Pick<Installation, 'host' | 'port' | 'basePath'>): string =>
  urlAt(askedHost(host), port === 0 ? 'PORT' : port) + basePath
