import { TriggerValue } from '@canopy/domain'
import {
  type Ask,
  arbitraries,
  baseUrlToText,
  conversations,
  differences,
  fileScenarios,
  fixture,
  fixtureTokens,
  type HttpScenario,
  httpScenarios,
  overHttp,
  type RawRequest,
  model as referenceModel,
  requestOf,
  scenarios,
  target,
  type World,
} from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type Check,
  type Monitor,
  noAnswer,
  notRun,
  type Outcome,
  outcomeOf,
  type Problem,
  runChecks,
} from './Check.js'
import { type Command, type CommandEnv, type Printed, parseSeed, parseWholeNumber, wrongUsage } from './Command.js'
import { printReport } from './formats.js'
import {
  curlCommand,
  isProxyRefusal,
  parseService,
  probe,
  proxyRefusal,
  type Service,
  type ServiceOptions,
  send,
} from './Service.js'

export interface ConformanceOptions extends ServiceOptions {
  /** Runs only the checks whose name contains one of these strings. */
  readonly only?: ReadonlyArray<string>
  readonly skip?: ReadonlyArray<string>
  readonly profile: ReadonlyArray<Profile>
}

/** Parts of the interface that a service may implement without the others. */
export const profiles = ['core', 'paging', 'rules', 'walking', 'files'] as const
type Profile = (typeof profiles)[number]

/** Files are off in a service unless its operator turns them on. */
export const usualProfiles: ReadonlyArray<Profile> = profiles.filter((profile) => profile !== 'files')

const ndjson = 'application/x-ndjson'
/** 12 is the account of the fixture that has rules. */
const targetWithRules = new RegExp(`^/api/(storage/v1/\\w+/${fixtureTokens.ruled}|usercontent/v1/\\w+/id/12)(/|$)`)

const profileOf = ({ target, headers = [] }: RawRequest): Profile => {
  if (target.startsWith('/files/')) return 'files'
  if (headers.some(([name, value]) => name === 'Accept' && value.toLowerCase().includes(ndjson))) return 'walking'
  if (targetWithRules.test(target)) return 'rules'
  return /\/diritems\/.*[?&](limit|after)=/.test(target) ? 'paging' : 'core'
}

/** Sends every scenario over HTTP to a service that was seeded with the fixture. */
export const conformance = (url: string, options: ConformanceOptions): Command =>
  verifyService("Canopy's interface at", url, options, (service) =>
    selectChecks(
      options,
      conformanceChecks(service, options.everyU64 === true).filter(({ suite }) =>
        options.profile.some((profile) => profile === suite),
      ),
    ),
  )

export interface ModelOptions extends ServiceOptions {
  readonly requests: string
  readonly seed?: string
}

/** Compares the service with the reference model on generated requests. */
export const model = (url: string, options: ModelOptions): Command =>
  verifyService('Reference model vs.', url, options, (service, env) =>
    pipe(
      E.Do,
      E.bind('requestCount', () => parseWholeNumber('--requests', 1, options.requests)),
      E.bind('seed', () => parseSeed(options.seed, env)),
      E.map((numbers) => [modelCheck(service, { ...numbers, everyU64: options.everyU64 === true }, env.monitor)]),
    ),
  )

type CreateChecks = (service: Service, env: CommandEnv) => E.Either<Printed, ReadonlyArray<Check>>

/** Probes the service before it runs the checks. */
const verifyService =
  (titlePrefix: string, url: string, options: ServiceOptions, createChecks: CreateChecks): Command =>
  (env) =>
    pipe(
      parseService(url, options, env),
      TE.bindTo('service'),
      TE.bind('checks', ({ service }) => TE.fromEither(createChecks(service, env))),
      TE.bind('notes', ({ service }) => probe(service)),
      TE.bind('results', ({ checks }) => TE.fromTask(() => runChecks(env.monitor, checks))),
      TE.map(({ service, results, notes }) => ({
        title: `${titlePrefix} ${baseUrlToText(service.url)}`,
        results,
        notes,
      })),
      TE.map(printReport(options.format)),
    )

/** Returns the checks of the whole interface and of every promise of docs/semantics.md. `suite` is the profile. */
export const conformanceChecks = (service: Service, everyU64: boolean): ReadonlyArray<Check> => [
  ...scenarios.map((scenario) => {
    const check = scenarioCheck(service, overHttp(scenario))
    return scenario.memoryOnly === true && !everyU64
      ? skipCheck(
          check,
          'some sizes and times of this scenario are too large for any disk: if the service can hold them, seed them and add --every-u64',
        )
      : check
  }),
  ...[...httpScenarios, ...fileScenarios].map((scenario) => scenarioCheck(service, scenario)),
  ...conversations.map(({ name, violations }) => ({
    suite: name.includes(' pages ') ? 'paging' : name.includes(' lines ') ? 'walking' : 'core',
    name,
    verify: unlessProxyRefuses(service, async (sendRequest) =>
      outcomeOf((await violations(sendRequest)).map((what) => ({ what }))),
    ),
  })),
]

const scenarioCheck = (service: Service, scenario: HttpScenario): Check => {
  const { name, request } = scenario
  const verify = unlessProxyRefuses(service, async (sendRequest) =>
    outcomeOf(differences(scenario, await sendRequest(request), service.comparison), curlCommand(service.url, request)),
  )
  return { suite: profileOf(request), name, verify }
}

/** Counts a check as not run if the proxy refused one of its requests. */
const unlessProxyRefuses =
  (service: Service, verify: (sendRequest: ReturnType<typeof send>) => Promise<Outcome>): Check['verify'] =>
  async () => {
    let isRefused = false
    const outcome = await verify(async (request) => {
      const response = await send(service)(request)
      isRefused ||= isProxyRefusal(service, response)
      return response
    })
    return isRefused ? notRun(proxyRefusal) : outcome
  }

const skipCheck = (check: Check, reason: string): Check => ({ ...check, verify: async () => notRun(reason) })

/** Keeps skipped checks in the report. A text that matches no check is wrong usage. */
const selectChecks = (
  { only, skip = [] }: ConformanceOptions,
  checks: ReadonlyArray<Check>,
): E.Either<Printed, ReadonlyArray<Check>> => {
  for (const [option, texts] of Object.entries({ '--only': only ?? [], '--skip': skip })) {
    const unmatched = texts.find((text) => text === '' || !checks.some(({ name }) => name.includes(text)))
    if (unmatched !== undefined) return E.left(wrongUsage(`${option} "${unmatched}": no check has this in its name`))
  }
  return E.right(
    checks.map((check) => {
      const isMatch = (text: string): boolean => check.name.includes(text)
      const skippedBy = skip.find(isMatch)
      if (skippedBy !== undefined) return skipCheck(check, `skipped by --skip "${skippedBy}"`)
      return only !== undefined && !only.some(isMatch) ? skipCheck(check, 'not selected by --only') : check
    }),
  )
}

interface ModelCheckOptions {
  readonly requestCount: number
  readonly seed: number
  readonly everyU64: boolean
}

/** A proxy or server may refuse longer targets. */
const maxTargetLength = 8_000

const modelCheck = (
  service: Service,
  { requestCount, seed, everyU64 }: ModelCheckOptions,
  { isInterrupted }: Monitor,
): Check => ({
  suite: 'the reference model',
  name: `${requestCount} generated requests (seed ${seed}) match the reference model`,
  verify: async () => {
    const world = withoutBrokenTriggers(fixture(everyU64))
    /** Resolves to `undefined` if the proxy refuses the request. */
    const findProblems = async (ask: Ask): Promise<ReadonlyArray<Problem> | undefined> => {
      const scenario = overHttp({ name: target(ask), world, ask, answer: referenceModel(world, ask) })
      const response = await send(service)(scenario.request)
      return isProxyRefusal(service, response) ? undefined : differences(scenario, response, service.comparison)
    }
    // fast-check shrinks a failing request, so the last failure is the smallest.
    let smallest: { readonly request: RawRequest; readonly problems: ReadonlyArray<Problem> } | undefined
    const asks = arbitraries.worldRequest(world).filter((ask) => target(ask).length <= maxTargetLength)
    const property = fc.asyncProperty(asks, async (ask) => {
      if (isInterrupted()) return true
      const problems = await findProblems(ask).catch((thrown: unknown) => [noAnswer(thrown)])
      // A refused request does not count: another one replaces it.
      if (problems === undefined) return fc.pre(false)
      if (problems.length > 0) smallest = { request: requestOf(ask), problems }
      return problems.length === 0
    })
    const { failed } = await fc.check(property, { numRuns: requestCount, seed })
    // Without a wrong answer, fast-check fails if the proxy refuses nearly all requests.
    if (smallest === undefined) return failed ? notRun(proxyRefusal) : outcomeOf([])
    const { request, problems } = smallest
    return outcomeOf([{ what: `GET ${request.target} (seed ${seed})` }, ...problems], curlCommand(service.url, request))
  },
})

/** Removes triggers that are broken in the registry, because the model does not cover them. */
const withoutBrokenTriggers = (world: World): World => ({
  ...world,
  triggers: world.triggers.filter(({ value }) => E.isRight(TriggerValue.fromJson(value))),
})
