import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reasonOf, shellWord } from '@canopy/installation'
import {
  baseUrlFromString,
  baseUrlToText,
  type Comparison,
  fixture,
  fixtureTokens,
  headerOf,
  type RawRequest,
  type RawResponse,
  request,
  target,
  targetBehind,
} from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as t from 'io-ts'
import { type CommandEnv, failed, type Printed, wrongUsage } from './Command.js'
import type { Format } from './formats.js'

/** A running service that the harness verifies over HTTP. */
export interface Service {
  readonly url: URL
  readonly credentials: Credentials
  /** How strictly responses are compared. */
  readonly comparison: Comparison
  /** A proxy in front may refuse requests itself. */
  readonly isProxied: boolean
}

export interface ServiceOptions {
  readonly credentials?: string
  readonly exact?: true
  readonly proxied?: true
  /** Includes the scenarios with sizes and times that no real disk can store. */
  readonly everyU64?: true
  readonly format: Format
}

export const parseService = (
  url: string,
  { credentials, exact, proxied }: ServiceOptions,
  { cwd }: CommandEnv,
): TE.TaskEither<Printed, Service> =>
  pipe(
    baseUrlFromString(url),
    E.mapLeft((reason) => wrongUsage(`the URL of the service is not valid: ${reason}`)),
    TE.fromEither,
    TE.bindTo('url'),
    TE.bind('credentials', () => readCredentials(cwd, credentials)),
    TE.map(
      (parts): Service => ({
        ...parts,
        comparison: exact === true ? 'exact' : 'semantic',
        isProxied: proxied === true,
      }),
    ),
  )

const maxRetries = 3

/** Sends the real credentials and conceals them in the response. Honours `Retry-After` on 429 and 503. */
export const send =
  (service: Service) =>
  async (rawRequest: RawRequest): Promise<RawResponse> => {
    const { url, credentials } = service
    const realRequest = { ...rawRequest, target: toRealTarget(credentials, rawRequest.target) }
    for (let retries = 0; ; retries += 1) {
      const response = concealCredentials(credentials, await request(url, realRequest))
      const delaySeconds = retryDelay(response)
      if (delaySeconds === undefined || retries === maxRetries) return response
      await sleep(delaySeconds * 1000)
    }
  }

const retryDelay = (response: RawResponse): number | undefined => {
  const seconds = headerOf(response, 'Retry-After') ?? ''
  return (response.status === 429 || response.status === 503) && /^[0-9]{1,3}$/.test(seconds)
    ? Number(seconds)
    : undefined
}

/** Reports whether a proxy sent this 4xx response: the service's own errors are always JSON. */
export const isProxyRefusal = ({ isProxied }: Service, response: RawResponse): boolean =>
  isProxied &&
  response.status >= 400 &&
  response.status < 500 &&
  headerOf(response, 'Content-Type')?.startsWith('application/json') !== true

export const proxyRefusal = 'the proxy in front of the service rejects this request itself'

const ownerRootTarget = target({ operation: 'storageTree', credential: fixtureTokens.owner, path: '', depth: 0 })

const unknownTokens =
  'the service does not know the tokens of the fixture. Seed Canopy with `canopy-harness fixture`. ' +
  'Seed any other implementation from the output of `canopy-harness fixture --describe`; if it issues its own tokens, ' +
  'map them with --credentials'

/** Checks once, up front, that the service is up. Returns a note if it does not know the fixture. */
export const probe = (service: Service): TE.TaskEither<Printed, ReadonlyArray<string>> =>
  pipe(
    TE.tryCatch(() => send(service)({ method: 'GET', target: ownerRootTarget }), reasonOf),
    TE.mapLeft((cause) =>
      failed(`no response from ${baseUrlToText(service.url)} (${cause}): start the service, or check the URL`),
    ),
    TE.map(({ status }) => (status === 401 ? [unknownTokens] : [])),
  )

/** Returns the request as a command to paste, with its raw target. */
export const curlCommand = (service: URL, { method, target: rawTarget, headers }: RawRequest): string =>
  [
    'curl',
    '-si',
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : ['-X', shellWord(method)]),
    ...(headers === undefined ? [] : headerArguments(headers)),
    '--request-target',
    shellWord(targetBehind(service, rawTarget)),
    shellWord(service.origin),
  ].join(' ')

/** curl sends `Host` by itself, and `-H Host:` suppresses it. `localhost` stands for the service's own host. */
const headerArguments = (headers: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => [
  ...(headers.some(([name]) => name === 'Host') ? [] : ['-H', shellWord('Host:')]),
  ...headers
    .filter(([name, value]) => name !== 'Host' || value !== 'localhost')
    .flatMap(([name, value]) => ['-H', shellWord(`${name}: ${value}`)]),
]

/** Maps tokens and ids of the fixture to those of the service. */
export type Credentials = ReadonlyMap<string, string>

/** Reads the credentials of the service; by default those of the fixture. */
const readCredentials = (cwd: string, file: string | undefined): TE.TaskEither<Printed, Credentials> =>
  file === undefined
    ? TE.right(new Map())
    : pipe(
        TE.tryCatch(() => readFile(resolve(cwd, file), 'utf8'), reasonOf),
        TE.flatMapEither(parseCredentials),
        TE.mapLeft((reason) => wrongUsage(`--credentials ${file}: ${reason}`)),
      )

/** Parses credentials. Errors never contain their values. */
export const parseCredentials = (json: string): E.Either<string, Credentials> => {
  const value = E.tryCatch(
    (): unknown => JSON.parse(json),
    () => undefined,
  )
  if (E.isLeft(value)) return invalidCredentials('it is not JSON')
  const record = t.record(t.string, t.string).decode(value.right)
  if (E.isLeft(record)) return invalidCredentials('it has the wrong shape')
  const unknown = Object.keys(record.right).filter((name) => !fixtureCredentials.has(name))
  return unknown.length === 0
    ? E.right(new Map(Object.entries(record.right)))
    : invalidCredentials(
        `${unknown.length === 1 ? 'unknown key' : 'unknown keys'} ${unknown.map((name) => JSON.stringify(name)).join(', ')}`,
      )
}

const invalidCredentials = (reason: string) =>
  E.left(
    `${reason}: it must be a JSON object that maps the fixture's tokens, user IDs and trigger IDs to the real ones, all as strings`,
  )

const fixtureCredentials: ReadonlySet<string> = new Set([
  ...fixture(true).accounts.flatMap(({ id, tokens }) => [id, ...tokens.map(({ token }) => token)]),
  ...fixture(true).triggers.map(({ id }) => id),
])

const route =
  /^(\/api\/(?:storage|usercontent)\/v1\/(?:tree|diritems)\/(?:id\/)?|\/api\/triggers\/v1\/peek\/|\/files\/(?:token|id)\/)([^/?#]+)/

/**
 * Replaces the fixture's credential in a request target with the real one. If it was percent-encoded more than necessary,
 * every byte of the real one is encoded too.
 */
export const toRealTarget = (credentials: Credentials, fixtureTarget: string): string =>
  fixtureTarget.replace(route, (whole, prefix: string, segment: string) => {
    const plain = decodeSegment(segment)
    const real = credentials.get(plain)
    if (real === undefined) return whole
    return prefix + (segment === encodeURIComponent(plain) ? encodeURIComponent(real) : escapeEveryByte(real))
  })

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const escapeEveryByte = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** A shorter credential, such as a user id, is not secret and may occur in a response by chance. */
const minSecretLength = 8

/** Replaces real credentials by those of the fixture, because reports must not contain secrets. */
export const concealCredentials = (credentials: Credentials, response: RawResponse): RawResponse => {
  // The longest first, because a secret may contain another.
  const secrets = [...credentials]
    .filter(([, real]) => real.length >= minSecretLength)
    .sort(([, one], [, other]) => other.length - one.length)
  const conceal = (text: string): string =>
    secrets.reduce(
      (concealed, [placeholder, real]) =>
        [real, encodeURIComponent(real), escapeEveryByte(real)].reduce(
          (rest, form) => rest.replaceAll(form, placeholder),
          concealed,
        ),
      text,
    )
  const text = response.body.toString()
  const concealed = conceal(text)
  return {
    ...response,
    headers: response.headers.map(([name, value]) => [name, conceal(value)]),
    // Decoding would damage a body that is not UTF-8.
    body: concealed === text ? response.body : Buffer.from(concealed),
  }
}
