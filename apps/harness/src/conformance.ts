import { TriggerValue } from '@canopy/domain'
import {
  type Ask,
  arbitraries,
  baseUrlToText,
  conversations,
  differences,
  fixture,
  type HttpScenario,
  httpScenarios,
  model,
  overHttp,
  scenarios,
  target,
  type World,
} from '@canopy/testkit'
import * as fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type Asking,
  again,
  askingOf,
  firstAnswer,
  isOfProxy,
  refusedByProxy,
  type ServiceOptions,
  send,
} from './Asking.js'
import {
  type Check,
  type Command,
  type CommandEnv,
  noAnswer,
  notRun,
  type Outcome,
  outcomeOf,
  type Printed,
  type Problem,
  runChecks,
  seedFrom,
  type Watch,
  wholeNumber,
  wrongUsage,
} from './Command.js'
import { reported } from './formats.js'

/** What the look finds, unless one of the answers that it saw is the proxy's. */
const asked =
  (asking: Asking, look: (ask: ReturnType<typeof send>) => Promise<Outcome>): Check['look'] =>
  async () => {
    let byProxy = false
    const outcome = await look(async (request) => {
      const answer = await send(asking)(request)
      byProxy ||= isOfProxy(asking, answer)
      return answer
    })
    return byProxy ? notRun(refusedByProxy) : outcome
  }

const ofScenario = (asking: Asking, suite: string, scenario: HttpScenario): Check => {
  const { name, request } = scenario
  const look = asked(asking, async (ask) =>
    outcomeOf(differences(scenario, await ask(request), asking.reading), again(asking.service, request)),
  )
  return { suite, name, look }
}

const notLookedInto = (check: Check, why: string): Check => ({ ...check, look: async () => notRun(why) })

/** Everything the interface and docs/semantics.md say, asked of a service that has seeded the fixture. */
export const conformanceChecks = (asking: Asking, everyU64: boolean): ReadonlyArray<Check> => [
  ...scenarios.map((scenario) => {
    const check = ofScenario(asking, 'scenarios', overHttp(scenario))
    return scenario.memoryOnly === true && !everyU64
      ? notLookedInto(check, 'no disk holds such sizes and times: seed them and say --every-u64')
      : check
  }),
  ...httpScenarios.map((scenario) => ofScenario(asking, 'scenarios of HTTP', scenario)),
  ...conversations.map(({ name, violations }) => ({
    suite: 'conversations',
    name,
    look: asked(asking, async (ask) => outcomeOf((await violations(ask)).map((what) => ({ what })))),
  })),
]

export interface ConformanceOptions extends ServiceOptions {
  /** Texts by which checks are chosen: a check is meant when its name contains one of them. */
  readonly only?: ReadonlyArray<string>
  readonly skip?: ReadonlyArray<string>
}

/** The same checks, of which those that are not meant are not run. A text that means no check is a mistake. */
const selected = (
  { only, skip = [] }: ConformanceOptions,
  checks: ReadonlyArray<Check>,
): E.Either<Printed, ReadonlyArray<Check>> => {
  for (const [option, texts] of Object.entries({ '--only': only ?? [], '--skip': skip })) {
    const idle = texts.find((text) => text === '' || !checks.some(({ name }) => name.includes(text)))
    if (idle !== undefined) return E.left(wrongUsage(`${option} "${idle}": no check has a name with this text`))
  }
  return E.right(
    checks.map((check) => {
      const isMeant = (text: string): boolean => check.name.includes(text)
      const skipped = skip.find(isMeant)
      if (skipped !== undefined) return notLookedInto(check, `left out by --skip "${skipped}"`)
      return only?.some(isMeant) === false ? notLookedInto(check, 'left out by --only') : check
    }),
  )
}

/** Asks a service: first whether it is there, then every check. */
const askingService =
  (title: string, url: string, options: ServiceOptions, checksOf: ChecksOf): Command =>
  (env) =>
    pipe(
      askingOf(url, options, env),
      TE.bindTo('asking'),
      TE.bind('checks', ({ asking }) => TE.fromEither(checksOf(asking, env))),
      TE.bind('notes', ({ asking }) => firstAnswer(asking)),
      TE.bind('results', ({ checks }) => TE.fromTask(() => runChecks(env.watch, checks))),
      TE.map(({ asking, results, notes }) => ({ title: `${title} ${baseUrlToText(asking.service)}`, results, notes })),
      TE.map(reported(options.format)),
    )

type ChecksOf = (asking: Asking, env: CommandEnv) => E.Either<Printed, ReadonlyArray<Check>>

/** Every scenario, asked over HTTP of a service that has seeded the fixture. */
export const conformance = (url: string, options: ConformanceOptions): Command =>
  askingService("Canopy's interface at", url, options, (asked) =>
    selected(options, conformanceChecks(asked, options.everyU64 === true)),
  )

export interface ModelOptions extends ServiceOptions {
  readonly requests: string
  readonly seed?: string
}

/** Of a trigger that is broken in the registry the model knows nothing. */
const wellFormed = (world: World): World => ({
  ...world,
  triggers: world.triggers.filter(({ value }) => E.isRight(TriggerValue.fromJson(value))),
})

/** Longer targets any part on the way may refuse. */
const longest = 8_000

/** Generated requests to the fixture, and what the reference model says to them. */
const modelCheck = (
  asking: Asking,
  { requests, seed, everyU64 }: { readonly requests: number; readonly seed: number; readonly everyU64: boolean },
  { isInterrupted }: Watch,
): Check => ({
  suite: 'the reference model',
  name: `${requests} generated requests of seed ${seed} are answered as the reference model says`,
  look: async () => {
    const world = wellFormed(fixture(everyU64))
    const problemsOf = async (ask: Ask): Promise<ReadonlyArray<Problem>> => {
      const scenario = overHttp({ name: target(ask), world, ask, answer: model(world, ask) })
      const answer = await send(asking)(scenario.request)
      return isOfProxy(asking, answer) ? [] : differences(scenario, answer, asking.reading)
    }
    // The last request that fails while it is made smaller is the smallest.
    let smallest: { readonly raw: string; readonly problems: ReadonlyArray<Problem> } | undefined
    const asks = arbitraries.worldRequest(world).filter((ask) => target(ask).length <= longest)
    const property = fc.asyncProperty(asks, async (ask) => {
      if (isInterrupted()) return true
      const problems = await problemsOf(ask).catch((thrown: unknown) => [noAnswer(thrown)])
      if (problems.length > 0) smallest = { raw: target(ask), problems }
      return problems.length === 0
    })
    await fc.check(property, { numRuns: requests, seed })
    if (smallest === undefined) return outcomeOf([])
    const { raw, problems } = smallest
    return outcomeOf(
      [{ what: `GET ${raw} (seed ${seed})` }, ...problems],
      again(asking.service, { method: 'GET', target: raw }),
    )
  },
})

/** Generated requests, asked over HTTP of a service that has seeded the fixture. */
export const askModel = (url: string, options: ModelOptions): Command =>
  askingService('The reference model and', url, options, (asked, env) =>
    pipe(
      E.Do,
      E.bind('requests', () => wholeNumber('--requests', 1, options.requests)),
      E.bind('seed', () => seedFrom(options.seed, env)),
      E.map((numbers) => [modelCheck(asked, { ...numbers, everyU64: options.everyU64 === true }, env.watch)]),
    ),
  )
