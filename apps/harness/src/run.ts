import { reasonOf } from '@canopy/installation'
import {
  type Answer,
  accessLaws,
  type Backend,
  changeLaws,
  coreBackend,
  deadEntryScenarios,
  faultScenarios,
  jsonText,
  type Law,
  modelAgreement,
  type OpenBackend,
  type Scenario,
  scenarios,
  settingsLaws,
  storageLaws,
  storageLawsWithin,
  target,
  triggersLaws,
  type World,
} from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type Adapters, type BackendName, backendNames, backends, seedStorage, seedWorld } from './backends.js'
import { type Check, type Monitor, notRun, outcomeOf, type Result, runChecks } from './Check.js'
import { type Command, type CommandEnv, failed, type Printed, parseSeed, parseWholeNumber } from './Command.js'
import { type Format, printReport } from './formats.js'

export interface RunOptions {
  readonly backend?: ReadonlyArray<BackendName>
  readonly worlds: string
  readonly seed?: string
  readonly format: Format
}

/** Laws, scenarios and generated worlds over the backends that this machine has. */
export const run =
  ({ backend, worlds, seed, format }: RunOptions): Command =>
  (env) =>
    pipe(
      E.Do,
      E.bind('worldCount', () => parseWholeNumber('--worlds', 0, worlds)),
      E.bind('seed', () => parseSeed(seed, env)),
      TE.fromEither,
      TE.flatMap((generated) =>
        TE.traverseSeqArray(verifyBackend(backend !== undefined, generated, env))([
          ...new Set(backend ?? backendNames),
        ]),
      ),
      TE.map((results) => ({ title: 'Canopy with its own adapters', results: results.flat(), notes: [] })),
      TE.map(printReport(format)),
    )

interface GeneratedWorlds {
  readonly worldCount: number
  readonly seed: number
}

/** Verifies a backend. A missing one fails only when it was requested; otherwise the report lists it. */
const verifyBackend =
  (isRequested: boolean, generated: GeneratedWorlds, { variables, monitor }: CommandEnv) =>
  (name: BackendName): TE.TaskEither<Printed, ReadonlyArray<Result>> => {
    const { title, find } = backends[name]
    const engine = find(variables)
    if (E.isRight(engine))
      return TE.tryCatch(
        () => runBackend(name, generated, monitor),
        (thrown) => failed(`the backend ${title} cannot be opened: ${reasonOf(thrown)}`),
      )
    return isRequested
      ? TE.left(failed(engine.left))
      : TE.right([{ suite: title, name: 'every law and scenario', outcome: notRun(engine.left) }])
  }

const everyU64Laws = storageLawsWithin({ earliest: 0n, latest: 4_294_967_297n, largestSize: 2n ** 64n - 1n })

const runBackend = async (
  name: BackendName,
  generated: GeneratedWorlds,
  monitor: Monitor,
): Promise<ReadonlyArray<Result>> => {
  if (monitor.isInterrupted()) return []
  const { title, open } = backends[name]
  const adapters = await open()
  const { holdsEveryU64, holdsFaults, seedRegistry } = adapters
  const backend = coreBackend(title, holdsEveryU64, (world) =>
    // Ends a long run of generated worlds early.
    monitor.isInterrupted() ? Promise.reject(new Error('interrupted')) : seedWorld(adapters)(world),
  )
  const scenarioSuite = openScenarioSuite(backend, adapters)
  const generatedCheck = worldsCheck(backend, holdsFaults, `canopy-harness run --backend ${name}`, generated)
  try {
    return await runChecks(monitor, [
      ...lawChecks(`${title}, storage laws`, holdsEveryU64 ? everyU64Laws : storageLaws, seedStorage(adapters)),
      ...lawChecks(`${title}, change laws`, changeLaws, seedStorage(adapters)),
      ...lawChecks(`${title}, access laws`, accessLaws, seedRegistry),
      ...lawChecks(`${title}, settings laws`, settingsLaws, seedRegistry),
      ...lawChecks(`${title}, trigger laws`, triggersLaws, seedRegistry),
      ...scenarioSuite.checks,
      ...(generated.worldCount === 0 ? [] : [generatedCheck]),
    ])
  } finally {
    await scenarioSuite.close()
    await adapters.close()
  }
}

const lawChecks = <Subject>(suite: string, laws: ReadonlyArray<Law<Subject>>, subject: Subject): ReadonlyArray<Check> =>
  laws.map(({ name, violations }) => ({
    suite,
    name,
    verify: async () => outcomeOf((await violations(subject)).map((what) => ({ what }))),
  }))

/** Seeds the world of a scenario on first use. `close` removes all worlds. */
const openScenarioSuite = (backend: Backend, adapters: Adapters) => {
  const opened = new Map<World, Promise<OpenBackend>>()
  const open = (world: World): Promise<OpenBackend> => {
    const opening = opened.get(world) ?? backend.open(world)
    opened.set(world, opening)
    return opening
  }
  const toCheck = ({ name, world, ask, answer }: Scenario, skipReason: string | undefined): Check => ({
    suite: `${backend.name}, scenarios`,
    name,
    verify: async () => {
      if (skipReason !== undefined) return notRun(skipReason)
      const [expected, got] = [answerText(answer), answerText(await (await open(world)).ask(ask))]
      return outcomeOf(expected === got ? [] : [{ what: 'the answer', expected, got }], `GET ${target(ask)}`)
    },
  })
  return {
    checks: [
      ...scenarios.map((scenario) => toCheck(scenario, skipReasonOf(scenario, adapters))),
      ...[...faultScenarios, ...deadEntryScenarios].map((scenario) =>
        toCheck(scenario, adapters.holdsFaults ? undefined : needsFaults),
      ),
    ],
    close: async () => {
      for (const outcome of await Promise.allSettled(opened.values()))
        if (outcome.status === 'fulfilled') await outcome.value.close()
    },
  }
}

const skipReasonOf = ({ memoryOnly, ask }: Scenario, { holdsEveryU64, maxPathBytes }: Adapters): string | undefined => {
  if ('path' in ask && Buffer.byteLength(ask.path) > maxPathBytes) return 'no object store has keys of this length'
  return memoryOnly === true && !holdsEveryU64
    ? 'some sizes and times of this scenario are too large for any disk'
    : undefined
}

const needsFaults = 'unreadable directories and dead mounts cannot be set up here'

const answerText = (answer: Answer): string => ('error' in answer ? `error: ${answer.error}` : answer.body)

const asksPerWorld = 20

/** Shows a disagreement with the smallest world and request. */
const worldsCheck = (
  backend: Backend,
  faults: boolean,
  command: string,
  { worldCount, seed }: GeneratedWorlds,
): Check => {
  const requests = worldCount * asksPerWorld
  return {
    suite: `${backend.name}, generated worlds`,
    name: `${requests} generated requests to ${worldCount} worlds (seed ${seed}) match the reference model`,
    verify: async () => {
      const { disagreement } = await modelAgreement(backend, { requests, seed, asksPerWorld, faults })
      if (O.isNone(disagreement)) return outcomeOf([])
      const { world, ask, expected, got } = disagreement.value
      return outcomeOf(
        [
          { what: `GET ${target(ask)}`, expected: answerText(expected), got: answerText(got) },
          { what: `with the data ${jsonText(world)}` },
        ],
        `${command} --worlds ${worldCount} --seed ${seed}`,
      )
    },
  }
}
