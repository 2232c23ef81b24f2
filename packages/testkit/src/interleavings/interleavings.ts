import type { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Law } from '../laws/Law.js'
import type { Answer } from '../scenarios/Scenario.js'
import type { Ports, World } from '../World.js'
import { type Call, childOf, judge, type NodeAsk, type Run } from './judge.js'
import type { MutableWorld } from './MutableWorld.js'
import { type Change, type Scene, type Stage, stages, worldOf } from './stages.js'

/** The subject of the laws: an operation and its ports. */
export interface Interleaved {
  readonly open: (world: World) => MutableWorld
  /** Answers one request. For the operations of the domain: `askInProcess`. */
  readonly operation: (ports: Ports) => (ask: NodeAsk) => Promise<Answer>
}

/** Reports each call of these ports. `meet` runs when a call begins and returns its moment. */
const recorded = (ports: Ports, meet: () => number, report: (call: Call) => void): Ports => {
  let clock = 0
  const record =
    <Args extends ReadonlyArray<unknown>, F extends Failure.Failure, A>(
      port: keyof Ports,
      ask: (...args: Args) => TE.TaskEither<F, A>,
      describe: (value: A | undefined, ...args: Args) => Pick<Call, 'location' | 'found'> = () => ({}),
    ) =>
    (...args: Args): TE.TaskEither<F, A> =>
    async () => {
      const [moment, begun] = [meet(), clock++]
      const result = await ask(...args)()
      const isExternal = E.isLeft(result) && result.left.error === 'external'
      const described = describe(E.isRight(result) ? result.right : undefined, ...args)
      report({ port, moment, begun, ended: clock++, isExternal, ...described })
      return result
    }
  return {
    areaOfToken: record('areaOfToken', ports.areaOfToken),
    areaOfUser: record('areaOfUser', ports.areaOfUser),
    settingsOf: record('settingsOf', ports.settingsOf),
    nodeAt: record('nodeAt', ports.nodeAt, (node, { location }, path) => ({ location, found: node ? [path] : [] })),
    list: record('list', ports.list, (listing, { location }, path) => ({
      location,
      found: listing ? [path, ...[...listing.entries].map(({ name }) => childOf(path, name))] : [],
    })),
    triggerOf: record('triggerOf', ports.triggerOf),
  }
}

/** Each change, and the number of calls before it. */
type Schedule = ReadonlyArray<{ readonly change: Change; readonly after: number }>

const play = async ({ open, operation }: Interleaved, scene: Scene, ask: NodeAsk, schedule: Schedule): Promise<Run> => {
  const scenes = [scene]
  const { ports, become } = open(worldOf(scene))
  const applyDue = (count: number): void => {
    for (const { change, after } of schedule.slice(scenes.length - 1)) {
      if (after > count) return
      scenes.push(change.apply(scenes.at(-1) ?? scene))
      become(worldOf(scenes.at(-1) ?? scene))
    }
  }
  const calls: Array<Call> = []
  let begun = 0
  const meet = (): number => {
    applyDue(begun++)
    return scenes.length - 1
  }
  const answer = await operation(recorded(ports, meet, (call) => calls.push(call)))(ask)
  applyDue(Number.POSITIVE_INFINITY)
  return { ask, calls: calls.sort((x, y) => x.begun - y.begun), worlds: scenes.map(worldOf), answer }
}

const places = (from: number, callCount: number): ReadonlyArray<number> =>
  Array.from({ length: callCount + 1 - from }, (_, index) => from + index)

/** Each change, and each pair of two, before the first call, between each two, and after the last: fewer changes first. */
async function* schedules({ changes }: Stage, callsOf: (schedule: Schedule) => Promise<number>) {
  yield []
  const singles = places(0, await callsOf([])).flatMap((after) => changes.map((change) => ({ change, after })))
  for (const single of singles) yield [single]
  for (const first of singles)
    for (const after of places(first.after, await callsOf([first])))
      for (const change of changes) if (change !== first.change) yield [first, { change, after }]
}

const sentence = ({ ask, calls }: Run, schedule: Schedule, violation: string): string => {
  const said = schedule.map(
    ({ change, after }) =>
      `${change.name} before ${calls[after] ? `call ${after + 1}, ${calls[after].port}` : 'the end'}`,
  )
  return `${[`${ask.operation} of ${ask.path || '/'}`, ...said].join(', ')}: ${violation}`
}

/**
 * Freshness: wherever changes fall between the calls of ports, an operation shows only nodes that the registry allowed after
 * the storage returned them, omits no node that was visible throughout, and fails only as a new request would. A law
 * reports the first violating run of each request.
 */
export const interleavings: ReadonlyArray<Law<Interleaved>> = stages.map((stage) => ({
  name: stage.name,
  violations: async (subject) => {
    const violations: Array<string> = []
    for (const ask of stage.requests) {
      const played = (schedule: Schedule) => play(subject, stage.scene, ask, schedule)
      for await (const schedule of schedules(stage, async (some) => (await played(some)).calls.length)) {
        const run = await played(schedule)
        const found = judge(run)
        violations.push(...found.map((violation) => sentence(run, schedule, violation)))
        if (found.length > 0) break
      }
    }
    return violations
  },
}))
