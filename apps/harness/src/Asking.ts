import { setTimeout } from 'node:timers/promises'
import { causeOf, shellWord } from '@canopy/installation'
import {
  BaseUrl,
  fixture,
  fixtureTokens,
  headerOf,
  type RawRequest,
  type RawResponse,
  type Reading,
  request,
  target,
} from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type CommandEnv, failed, type Refusal, wrongUsage } from './Command.js'
import * as Credentials from './Credentials.js'
import type { Format } from './formats.js'

/** How a service is asked, and its answers are read. */
export interface Asking {
  readonly service: BaseUrl.BaseUrl
  readonly credentials: Credentials.Credentials
  readonly reading: Reading
  /** A proxy in front may refuse by itself what it does not pass on. */
  readonly proxied?: boolean
}

/** What every command that asks a service takes. */
export interface ServiceOptions {
  readonly url: string
  readonly credentials?: string
  readonly exact?: true
  readonly proxied?: true
  readonly everyU64?: true
  readonly format: Format
}

export const askingOf = (options: ServiceOptions, { cwd }: CommandEnv): TE.TaskEither<Refusal, Asking> =>
  pipe(
    BaseUrl.fromString(options.url),
    E.mapLeft((problem) => wrongUsage(`--url is not where a service answers: ${problem}`)),
    TE.fromEither,
    TE.bindTo('service'),
    TE.bind('credentials', () => Credentials.fromFile(cwd, fixture(true), options.credentials)),
    TE.map((parts) => ({
      ...parts,
      reading: options.exact === true ? 'exact' : 'meaning',
      proxied: options.proxied === true,
    })),
  )

const askOnce = async ({ service, credentials }: Asking, asked: RawRequest): Promise<RawResponse> =>
  Credentials.concealed(
    credentials,
    await request(service, { ...asked, target: Credentials.realTarget(credentials, asked.target) }),
  )

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
    let answer = await askOnce(asking, asked)
    for (let tries = 0; tries < patience; tries += 1) {
      const pause = pauseAfter(answer)
      if (pause === undefined) return answer
      await setTimeout(pause * 1000)
      answer = await askOnce(asking, asked)
    }
    return answer
  }

/** A refusal that is no JSON is none of the service's. */
export const isOfProxy = ({ proxied }: Asking, answer: RawResponse): boolean =>
  proxied === true &&
  answer.status >= 400 &&
  answer.status < 500 &&
  headerOf(answer, 'Content-Type')?.startsWith('application/json') !== true

export const refusedByProxy = 'the proxy in front refuses such a request itself'

const ownersRoot = target({ operation: 'storageTree', credential: fixtureTokens.owner, path: '', depth: 0 })

const strangeTokens =
  'the service does not know the tokens of the fixture. Seed it with `canopy-harness fixture`; another ' +
  'implementation seeds what `canopy-harness fixture --describe` prints, and gives its own tokens by --credentials'

/** Asks once, so that a service which is not there is reported once. Gives what its answer says about the fixture. */
export const firstAnswer = (asking: Asking): TE.TaskEither<Refusal, ReadonlyArray<string>> =>
  pipe(
    TE.tryCatch(() => send(asking)({ method: 'GET', target: ownersRoot }), causeOf),
    TE.mapLeft((cause) =>
      failed(`nothing answers at ${BaseUrl.toText(asking.service)} (${cause}): start the service, or correct --url`),
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
export const again = (service: BaseUrl.BaseUrl, { method, target: raw, headers }: RawRequest): string =>
  [
    'curl',
    '-si',
    ...(method === 'GET' ? [] : method === 'HEAD' ? ['-I'] : ['-X', shellWord(method)]),
    ...(headers === undefined ? [] : headerWords(headers)),
    '--request-target',
    shellWord(BaseUrl.targetBehind(service, raw)),
    shellWord(BaseUrl.origin(service)),
  ].join(' ')
