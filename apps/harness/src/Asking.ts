import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { causeOf, shellWord } from '@canopy/installation'
import {
  baseUrlFromString,
  baseUrlToText,
  fixture,
  fixtureTokens,
  headerOf,
  type RawRequest,
  type RawResponse,
  type Reading,
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

/** How a service is asked, and its answers are read. */
export interface Asking {
  readonly service: URL
  readonly credentials: Credentials
  readonly reading: Reading
  /** A proxy in front may refuse by itself what it does not pass on. */
  readonly proxied: boolean
}

/** What every command that asks a service takes. */
export interface ServiceOptions {
  readonly credentials?: string
  readonly exact?: true
  readonly proxied?: true
  readonly everyU64?: true
  readonly format: Format
}

export const askingOf = (
  url: string,
  { credentials, exact, proxied }: ServiceOptions,
  { cwd }: CommandEnv,
): TE.TaskEither<Printed, Asking> =>
  pipe(
    baseUrlFromString(url),
    E.mapLeft((problem) => wrongUsage(`the URL is not where a service answers: ${problem}`)),
    TE.fromEither,
    TE.bindTo('service'),
    TE.bind('credentials', () => credentialsFrom(cwd, credentials)),
    TE.map((parts): Asking => ({ ...parts, reading: exact === true ? 'exact' : 'meaning', proxied: proxied === true })),
  )

const askOnce = async ({ service, credentials }: Asking, asked: RawRequest): Promise<RawResponse> =>
  concealed(credentials, await request(service, { ...asked, target: realTarget(credentials, asked.target) }))

/** Seconds after which a service that has had enough for now may be asked again. */
const pauseAfter = (answer: RawResponse): number | undefined => {
  const after = headerOf(answer, 'Retry-After') ?? ''
  return (answer.status === 429 || answer.status === 503) && /^[0-9]{1,3}$/.test(after) ? Number(after) : undefined
}

const patience = 3

/**
 * Asks with the real credentials; what comes back speaks of the fixture's. A service that limits its clients is waited
 * for, as it asks for by `Retry-After`.
 */
export const send =
  (asking: Asking) =>
  async (asked: RawRequest): Promise<RawResponse> => {
    for (let tries = 0; ; tries += 1) {
      const answer = await askOnce(asking, asked)
      const pause = pauseAfter(answer)
      if (pause === undefined || tries === patience) return answer
      await setTimeout(pause * 1000)
    }
  }

/** A refusal that is no JSON is none of the service's. */
export const isOfProxy = ({ proxied }: Asking, answer: RawResponse): boolean =>
  proxied &&
  answer.status >= 400 &&
  answer.status < 500 &&
  headerOf(answer, 'Content-Type')?.startsWith('application/json') !== true

export const refusedByProxy = 'the proxy in front refuses such a request itself'

const ownersRoot = target({ operation: 'storageTree', credential: fixtureTokens.owner, path: '', depth: 0 })

const strangeTokens =
  'the service does not know the tokens of the fixture. Seed it with `canopy-harness fixture`; another ' +
  'implementation seeds what `canopy-harness fixture --describe` prints, and gives its own tokens by --credentials'

/** Asks once, so that a service which is not there is reported once. Gives what its answer says about the fixture. */
export const firstAnswer = (asking: Asking): TE.TaskEither<Printed, ReadonlyArray<string>> =>
  pipe(
    TE.tryCatch(() => send(asking)({ method: 'GET', target: ownersRoot }), causeOf),
    TE.mapLeft((cause) =>
      failed(`nothing answers at ${baseUrlToText(asking.service)} (${cause}): start the service, or correct the URL`),
    ),
    TE.map(({ status }) => (status === 401 ? [strangeTokens] : [])),
  )

const headerWords = (headers: ReadonlyArray<readonly [string, string]>): ReadonlyArray<string> => [
  ...(headers.some(([name]) => name === 'Host') ? [] : ['-H', shellWord('Host:')]),
  ...headers
    .filter(([name, value]) => name !== 'Host' || value !== 'localhost')
    .flatMap(([name, value]) => ['-H', shellWord(`${name}: ${value}`)]),
]

/** The request as a command to paste, its target as raw as it was sent. */
export const again = (service: URL, { method, target: raw, headers }: RawRequest): string =>
  [
    'curl',
    '-si',
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : ['-X', shellWord(method)]),
    ...(headers === undefined ? [] : headerWords(headers)),
    '--request-target',
    shellWord(targetBehind(service, raw)),
    shellWord(service.origin),
  ].join(' ')

/** What an implementation that makes its own tokens and ids has for those of the fixture: fixture's to real. */
export type Credentials = ReadonlyMap<string, string>

const known: ReadonlySet<string> = new Set([
  ...fixture(true).accounts.flatMap(({ id, tokens }) => [id, ...tokens.map(({ token }) => token)]),
  ...fixture(true).triggers.map(({ id }) => id),
])

const whatToWrite = 'a JSON object from the tokens, user ids and trigger ids of the fixture to the real ones, as texts'

const wrongFile = (problem: string) => E.left(`${problem}: it must be ${whatToWrite}`)

/** `left` says what is wrong. Values are not repeated. */
export const credentialsFromJson = (json: string): E.Either<string, Credentials> => {
  const value = E.tryCatch(
    (): unknown => JSON.parse(json),
    () => undefined,
  )
  if (E.isLeft(value)) return wrongFile('it is no JSON')
  const record = t.record(t.string, t.string).decode(value.right)
  if (E.isLeft(record)) return wrongFile('it is something else')
  const strange = Object.keys(record.right).filter((name) => !known.has(name))
  return strange.length === 0
    ? E.right(new Map(Object.entries(record.right)))
    : wrongFile(`the fixture has no ${strange.map((name) => JSON.stringify(name)).join(', ')}`)
}

const route = /^(\/api\/(?:storage|usercontent)\/v1\/(?:tree|diritems)\/(?:id\/)?|\/api\/triggers\/v1\/peek\/)([^/?#]+)/

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

const allEscaped = (text: string): string =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** The target with the real credential in it; needlessly escaped where the fixture's was. */
export const realTarget = (credentials: Credentials, target: string): string =>
  target.replace(route, (whole, prefix: string, segment: string) => {
    const plain = decoded(segment)
    const real = credentials.get(plain)
    if (real === undefined) return whole
    return prefix + (segment === encodeURIComponent(plain) ? encodeURIComponent(real) : allEscaped(real))
  })

/** Below this length a credential is no secret, and may well be in an answer by chance. */
const shortestSecret = 8

/** The response with the fixture's credentials in place of the real ones, which no report may show. */
export const concealed = (credentials: Credentials, response: RawResponse): RawResponse => {
  const secrets = [...credentials].filter(([, real]) => real.length >= shortestSecret)
  const conceal = (text: string): string =>
    secrets.reduce(
      (so, [fixtures, real]) => so.replaceAll(real, fixtures).replaceAll(encodeURIComponent(real), fixtures),
      text,
    )
  return secrets.length === 0
    ? response
    : {
        ...response,
        headers: response.headers.map(([name, value]) => [name, conceal(value)]),
        body: Buffer.from(conceal(response.body.toString())),
      }
}

/** Those of the file that was named, or the fixture's own. */
const credentialsFrom = (cwd: string, file: string | undefined): TE.TaskEither<Printed, Credentials> =>
  file === undefined
    ? TE.right(new Map())
    : pipe(
        TE.tryCatch(() => readFile(resolve(cwd, file), 'utf8'), causeOf),
        TE.flatMapEither(credentialsFromJson),
        TE.mapLeft((problem) => wrongUsage(`--credentials ${file}: ${problem}`)),
      )
