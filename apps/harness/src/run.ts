import { causeOf } from '@canopy/installation'
import {
  type Answer,
  accessLaws,
  type Backend,
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
  target,
  triggersLaws,
  type World,
} from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { type BackendName, backendNames, missingFor, openBackend, type Subjects, titles } from './backends.js'
import {
  type Check,
  type Command,
  type CommandEnv,
  failed,
  notRun,
  outcomeOf,
  passed,
  type Refusal,
  type Result,
  runChecks,
  seedFrom,
  type Watch,
  wholeNumber,
} from './Command.js'
import { type Format, reported } from './formats.js'

export interface RunOptions {
  readonly backend?: ReadonlyArray<BackendName>
  readonly worlds: string
  readonly seed?: string
  readonly format: Format
}

const lawChecks = <Subject>(suite: string, laws: ReadonlyArray<Law<Subject>>, subject: Subject): ReadonlyArray<Check> =>
  laws.map(({ name, violations }) => ({
    suite,
    name,
    look: async () => outcomeOf((await violations(subject)).map((what) => ({ what }))),
  }))

const answerText = (answer: Answer): string => ('error' in answer ? `error: ${answer.error}` : answer.body)

const unseedable = 'no disk holds such sizes and times'
const tooLong = 'no object store has keys that are as long'
const needsFaults = 'nothing is locked for root, and no disk has a dead mount by itself'

/** The scenarios through one backend, whose worlds are seeded when they are first needed. Close them in the end. */
const scenarioChecks = (
  backend: Backend,
  { holdsFaults, longestPath }: Subjects,
): { readonly checks: ReadonlyArray<Check>; readonly close: () => Promise<void> } => {
  const opened = new Map<World, Promise<OpenBackend>>()
  const open = (world: World): Promise<OpenBackend> => {
    const known = opened.get(world) ?? backend.open(world)
    opened.set(world, known)
    return known
  }
  const look = async ({ world, ask, answer }: Scenario) => {
    const [expected, got] = [answerText(answer), answerText(await (await open(world)).ask(ask))]
    return outcomeOf(expected === got ? [] : [{ what: 'the answer', expected, got }], `GET ${target(ask)}`)
  }
  const check =
    (whyNot: (scenario: Scenario) => string | undefined) =>
    (scenario: Scenario): Check => ({
      suite: `${backend.name}, scenarios`,
      name: scenario.name,
      look: async () => {
        const why = whyNot(scenario)
        return why === undefined ? look(scenario) : notRun(why)
      },
    })
  const ofDisk = check(({ memoryOnly, ask }) => {
    if ('path' in ask && Buffer.byteLength(ask.path) > longestPath) return tooLong
    return memoryOnly === true && !backend.holdsEveryU64 ? unseedable : undefined
  })
  const ofFaults = check(() => (holdsFaults ? undefined : needsFaults))
  return {
    checks: [...scenarios.map(ofDisk), ...[...faultScenarios, ...deadEntryScenarios].map(ofFaults)],
    close: async () => {
      for (const outcome of await Promise.allSettled(opened.values()))
        if (outcome.status === 'fulfilled') await outcome.value.close()
    },
  }
}

interface Worlds {
  readonly worlds: number
  readonly seed: number
}

const asksPerWorld = 20

/** Generated worlds through one backend. A disagreement is shown with the smallest world and request found. */
const worldsCheck = (backend: Backend, faults: boolean, again: string, { worlds, seed }: Worlds): Check => ({
  suite: `${backend.name}, generated worlds`,
  name: `${worlds * asksPerWorld} requests to ${worlds} worlds of seed ${seed} are answered as the reference model says`,
  look: async () => {
    const requests = worlds * asksPerWorld
    const { disagreement } = await modelAgreement(backend, { requests, seed, asksPerWorld, faults })
    if (O.isNone(disagreement)) return passed
    const { world, ask, expected, got } = disagreement.value
    return outcomeOf(
      [
        { what: `GET ${target(ask)}`, expected: answerText(expected), got: answerText(got) },
        { what: `in the world ${jsonText(world)}` },
      ],
      `${again} --worlds ${worlds} --seed ${seed}`,
    )
  },
})

/** So that generated worlds, of which there may be very many, end early as well. */
const unlessInterrupted =
  ({ seedWorld }: Subjects, { isInterrupted }: Watch): Subjects['seedWorld'] =>
  (world) =>
    isInterrupted() ? Promise.reject(new Error('interrupted')) : seedWorld(world)

/** Everything there is to ask of the domain over one set of adapters. Leaves nothing behind. */
const runBackend = async (named: BackendName, worlds: Worlds, watch: Watch): Promise<ReadonlyArray<Result>> => {
  if (watch.isInterrupted()) return []
  const subjects = await openBackend(named)
  const { name, holdsFaults, seedStorage, seedRegistry } = subjects
  const backend = coreBackend(name, subjects.holdsEveryU64, unlessInterrupted(subjects, watch))
  const ofScenarios = scenarioChecks(backend, subjects)
  const ofWorlds = worldsCheck(backend, holdsFaults, `canopy-harness run --backend ${named}`, worlds)
  try {
    return await runChecks(watch, [
      ...lawChecks(`${name}, laws of storage`, storageLaws, seedStorage),
      ...lawChecks(`${name}, laws of access`, accessLaws, seedRegistry),
      ...lawChecks(`${name}, laws of settings`, settingsLaws, seedRegistry),
      ...lawChecks(`${name}, laws of triggers`, triggersLaws, seedRegistry),
      ...ofScenarios.checks,
      ...(worlds.worlds === 0 ? [] : [ofWorlds]),
    ])
  } finally {
    await ofScenarios.close()
    await subjects.close()
  }
}

/** A backend that was named must be run; of all backends, one that this machine lacks is left out, and the report says so. */
const throughBackend =
  (isNamed: boolean, worlds: Worlds, { variables, watch }: CommandEnv) =>
  (backend: BackendName): TE.TaskEither<Refusal, ReadonlyArray<Result>> => {
    const suite = titles[backend]
    const missing = missingFor(backend, variables)
    if (O.isNone(missing))
      return TE.tryCatch(
        () => runBackend(backend, worlds, watch),
        (thrown) => failed(`the backend ${suite} cannot be opened: ${causeOf(thrown)}`),
      )
    return isNamed
      ? TE.left(failed(missing.value))
      : TE.right([{ suite, name: 'every law and scenario', outcome: notRun(missing.value) }])
  }

const worldsOf = ({ worlds, seed }: RunOptions, { newSeed }: CommandEnv): E.Either<Refusal, Worlds> =>
  pipe(
    E.Do,
    E.bind('worlds', () => wholeNumber('--worlds', 0)(worlds)),
    E.bind('seed', () => seedFrom(seed, newSeed)),
  )

/** Laws, scenarios and generated worlds through the backends of this machine. */
export const run =
  (options: RunOptions): Command =>
  (env) =>
    pipe(
      TE.fromEither(worldsOf(options, env)),
      TE.flatMap((worlds) =>
        pipe(
          [...new Set(options.backend ?? backendNames)],
          TE.traverseSeqArray(throughBackend(options.backend !== undefined, worlds, env)),
        ),
      ),
      TE.map((results) => ({ title: 'Canopy over its own adapters', results: results.flat(), notes: [] })),
      TE.map(reported(options.format)),
    )
