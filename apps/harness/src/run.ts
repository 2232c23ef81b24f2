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
import { type BackendName, backendNames, backends, type Subjects, seedStorage, seedWorld } from './backends.js'
import {
  type Check,
  type Command,
  type CommandEnv,
  failed,
  notRun,
  outcomeOf,
  type Printed,
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

const whyNot = ({ memoryOnly, ask }: Scenario, { holdsEveryU64, longestPath }: Subjects): string | undefined => {
  if ('path' in ask && Buffer.byteLength(ask.path) > longestPath) return 'no object store has keys that are as long'
  return memoryOnly === true && !holdsEveryU64 ? 'no disk holds such sizes and times' : undefined
}

const needsFaults = 'nothing is locked for root, and no disk has a dead mount by itself'

/** The scenarios through one backend, whose worlds are seeded when they are first needed. Close them in the end. */
const scenarioChecks = (backend: Backend, subjects: Subjects) => {
  const opened = new Map<World, Promise<OpenBackend>>()
  const open = (world: World): Promise<OpenBackend> => {
    const known = opened.get(world) ?? backend.open(world)
    opened.set(world, known)
    return known
  }
  const check = ({ name, world, ask, answer }: Scenario, why: string | undefined): Check => ({
    suite: `${backend.name}, scenarios`,
    name,
    look: async () => {
      if (why !== undefined) return notRun(why)
      const [expected, got] = [answerText(answer), answerText(await (await open(world)).ask(ask))]
      return outcomeOf(expected === got ? [] : [{ what: 'the answer', expected, got }], `GET ${target(ask)}`)
    },
  })
  const ofFaults = [...faultScenarios, ...deadEntryScenarios]
  return {
    checks: [
      ...scenarios.map((scenario) => check(scenario, whyNot(scenario, subjects))),
      ...ofFaults.map((scenario) => check(scenario, subjects.holdsFaults ? undefined : needsFaults)),
    ],
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
    if (O.isNone(disagreement)) return outcomeOf([])
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

/** Everything there is to ask of the domain over one set of adapters. Leaves nothing behind. */
const runBackend = async (named: BackendName, worlds: Worlds, watch: Watch): Promise<ReadonlyArray<Result>> => {
  if (watch.isInterrupted()) return []
  const { title, open } = backends[named]
  const subjects = await open()
  const { holdsEveryU64, holdsFaults, seedRegistry } = subjects
  const backend = coreBackend(title, holdsEveryU64, (world) =>
    // So that generated worlds, of which there may be very many, end early as well.
    watch.isInterrupted() ? Promise.reject(new Error('interrupted')) : seedWorld(subjects)(world),
  )
  const ofScenarios = scenarioChecks(backend, subjects)
  const ofWorlds = worldsCheck(backend, holdsFaults, `canopy-harness run --backend ${named}`, worlds)
  try {
    return await runChecks(watch, [
      ...lawChecks(`${title}, laws of storage`, storageLaws, seedStorage(subjects)),
      ...lawChecks(`${title}, laws of access`, accessLaws, seedRegistry),
      ...lawChecks(`${title}, laws of settings`, settingsLaws, seedRegistry),
      ...lawChecks(`${title}, laws of triggers`, triggersLaws, seedRegistry),
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
  (named: BackendName): TE.TaskEither<Printed, ReadonlyArray<Result>> => {
    const { title, find } = backends[named]
    const found = find(variables)
    if (E.isRight(found))
      return TE.tryCatch(
        () => runBackend(named, worlds, watch),
        (thrown) => failed(`the backend ${title} cannot be opened: ${causeOf(thrown)}`),
      )
    return isNamed
      ? TE.left(failed(found.left))
      : TE.right([{ suite: title, name: 'every law and scenario', outcome: notRun(found.left) }])
  }

/** Laws, scenarios and generated worlds through the backends of this machine. */
export const run =
  ({ backend, worlds, seed, format }: RunOptions): Command =>
  (env) =>
    pipe(
      E.Do,
      E.bind('worlds', () => wholeNumber('--worlds', 0, worlds)),
      E.bind('seed', () => seedFrom(seed, env)),
      TE.fromEither,
      TE.flatMap((chosen) =>
        TE.traverseSeqArray(throughBackend(backend !== undefined, chosen, env))([...new Set(backend ?? backendNames)]),
      ),
      TE.map((results) => ({ title: 'Canopy over its own adapters', results: results.flat(), notes: [] })),
      TE.map(reported(format)),
    )
