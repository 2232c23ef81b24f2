import { join, resolve } from 'node:path'
import { RegistryUrl } from '@canopy/registry'
import { StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { problemsOf, variable, wholeNumber } from './variable.js'

/** Where one installation of Canopy keeps its things and answers: what every app of it must read alike. */
export interface Installation {
  /** The data directory, absolute. */
  readonly data: string
  readonly storage: StorageRoot.StorageRoot
  readonly registry: RegistryUrl.RegistryUrl
  readonly host: string
  readonly port: number
}

export type Variables = Readonly<Record<string, string | undefined>>

const codec = (cwd: string) =>
  t.type({
    CANOPY_DATA: variable('Directory', (text) => text !== '', 'is empty: name a directory, or unset it for ./data'),
    CANOPY_STORAGE: StorageRoot.codec(cwd),
    CANOPY_REGISTRY: RegistryUrl.codec(cwd),
    CANOPY_HOST: variable(
      'Host',
      (text) => /^[A-Za-z0-9._:%-]+$/.test(text),
      'must be a host name or an IP address, such as 127.0.0.1 (the default)',
    ),
    CANOPY_PORT: wholeNumber('Port', 0, 65_535, 'must be a whole number from 0 to 65535, such as 8080 (the default)'),
  })

/** The variables that are read here. */
export const names: ReadonlyArray<string> = Object.keys(codec('/').props)

const withDefaults = (cwd: string, variables: Variables): Variables => {
  const data = resolve(cwd, variables['CANOPY_DATA'] ?? './data')
  return {
    CANOPY_DATA: data,
    CANOPY_STORAGE: StorageRoot.urlOf(join(data, 'areas')),
    CANOPY_REGISTRY: `sqlite:${join(data, 'registry.sqlite')}`,
    CANOPY_HOST: '127.0.0.1',
    CANOPY_PORT: '8080',
    ...variables,
  }
}

/** Whoever has not set where the registry is must look for the problem in what it follows from. */
const problemsWhere =
  (variables: Variables) =>
  (errors: t.Errors): ReadonlyArray<string> =>
    problemsOf(errors).map((problem) =>
      variables['CANOPY_REGISTRY'] === undefined
        ? problem.replace(/^CANOPY_REGISTRY/, 'CANOPY_REGISTRY, which follows from CANOPY_DATA:')
        : problem,
    )

/** `left` names every problem at once. Relative paths are taken from `cwd`. */
export const fromVariables = (cwd: string, variables: Variables): E.Either<ReadonlyArray<string>, Installation> =>
  pipe(
    withDefaults(cwd, variables),
    codec(cwd).decode,
    E.bimap(problemsWhere(variables), (read) => ({
      data: resolve(cwd, read.CANOPY_DATA),
      storage: read.CANOPY_STORAGE,
      registry: read.CANOPY_REGISTRY,
      host: read.CANOPY_HOST,
      port: read.CANOPY_PORT,
    })),
  )

/** As {@link fromVariables} reads it back from any working directory. */
export const toVariables = ({ data, storage, registry, host, port }: Installation): Variables =>
  codec('/').encode({
    CANOPY_DATA: data,
    CANOPY_STORAGE: storage,
    CANOPY_REGISTRY: registry,
    CANOPY_HOST: host,
    CANOPY_PORT: port,
  })

// A server that listens everywhere is asked on the loopback address.
const askedAt: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
])

/** `http://host:port`, to be pasted on this machine. A free port (0) is in the log of the server: `PORT` stands for it. */
export const baseUrl = ({ host, port }: Pick<Installation, 'host' | 'port'>): string => {
  const address = askedAt.get(host) ?? host
  return `http://${address.includes(':') ? `[${address}]` : address}:${port === 0 ? 'PORT' : port}`
}
