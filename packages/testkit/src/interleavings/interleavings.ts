import { setImmediate as endOfTick } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Law } from '../laws/Law.js'
import type { NodeAsk } from '../model.js'
import type { Answer } from '../scenarios/Scenario.js'
import type { Ports, World } from '../World.js'
import { type Call, judge, type Run } from './judge.js'
import type { MutableWorld } from './MutableWorld.js'
import { type Change, stages, worldOf } from './stages.js'

/** The subject of the laws: an operation and its ports. */
export interface Interleaved {
  readonly open: (world: World) => MutableWorld
  /** Answers one request. For the operations of the domain: `askInProcess`. */
  readonly operation: (ports: Ports) => (ask: NodeAsk) => Promise<Answer>
}

/** Runs one request. Changes fall due when a call begins. */
const play = async ({ open, operation }: Interleaved, ask: NodeAsk, moments: Run['moments']): Promise<Run> => {
  const { ports, become } = open(worldOf(moments[0].scene))
  const calls: Array<Call> = []
  const recorded =
    <A>(port: string, task: () => Promise<A>, path?: string) =>
    async (): Promise<A> => {
      // The storage answers late: a reading of the registry at the same time is older.
      if (path !== undefined) await endOfTick()
      const due = moments.filter(({ after }) => after <= calls.length)
      for (const { scene } of due.slice(1 + (calls.at(-1)?.moment ?? 0))) become(worldOf(scene))
      calls.push({ port, path, moment: due.length - 1 })
      return task()
    }
  const answer = await operation({
    ...ports,
    areaOfToken: (token) => recorded('areaOfToken', ports.areaOfToken(token)),
    areaOfUser: (user) => recorded('areaOfUser', ports.areaOfUser(user)),
    settingsOf: (owner) => recorded('settingsOf', ports.settingsOf(owner)),
    nodeAt: (area, path) => recorded('nodeAt', ports.nodeAt(area, path), path),
    list: (area, path, options) => recorded('list', ports.list(area, path, options), path),
  })(ask)
  return { ask, moments, calls, answer }
}

/**
 * Freshness: wherever one or two changes fall between the calls of ports, an operation shows only nodes that the registry
 * allowed after the storage was asked for them, omits no node that was visible throughout, and fails only as a new request
 * would. A law reports the first violating run of each request.
 */
export const interleavings: ReadonlyArray<Law<Interleaved>> = stages.map(({ name, scene, requests, changes }) => ({
  name,
  violations: async (subject) => {
    const violations: Array<string> = []
    for (const ask of requests) {
      const queue: Array<Run['moments']> = [[{ event: `${ask.operation} of ${ask.path || '/'}`, after: 0, scene }]]
      for (const moments of queue) {
        const run = await play(subject, ask, moments)
        const found = judge(run)
        const events = moments.map(({ event }) => event).join(', ')
        violations.push(...found.map((violation) => `${events}: ${violation}`))
        if (found.length > 0) break
        if (moments.length < 3) queue.push(...changes.flatMap((change) => continued(run, change)))
      }
    }
    return violations
  },
}))

/** The moments of a run and one more change, before each later call. Of two changes, one is of the registry. */
const continued = ({ moments, calls }: Run, { name, update }: Change): ReadonlyArray<Run['moments']> => {
  if (moments.some(({ event }) => event.startsWith(name))) return []
  const { scene: before, after: earliest } = moments.at(-1) ?? moments[0]
  const scene = { ...before, ...update(before) }
  if (moments.length > 1 && isDeepStrictEqual({ ...scene, paths: [] }, { ...moments[0].scene, paths: [] })) return []
  const places = [...calls.entries()].slice(Math.max(earliest, 1))
  return places.map(([after, { port }]) => [
    ...moments,
    { event: `${name} before call ${after + 1}, ${port}`, after, scene },
  ])
}
