import { setImmediate as endOfTick } from 'node:timers/promises'
import type { Law } from '../laws/Law.js'
import { model, type NodeAsk } from '../model.js'
import type { Answer } from '../scenarios/Scenario.js'
import type { FilePorts, Ports, World } from '../World.js'
import { type Change, cases, rowsOf, toWorld } from './cases.js'
import { type Call, judge, type Run } from './judge.js'

/** The subject of the laws: an operation and its ports. */
export interface Interleaved {
  /** Ports that read the current world in each call. */
  readonly open: (current: () => World) => Ports & FilePorts
  /** For the operations of the domain: `askInProcess`. */
  readonly operation: (ports: Ports & FilePorts) => (ask: NodeAsk) => Promise<Answer>
  /** Converts the model's answer, for an operation that shows less than the model. */
  readonly toExpected?: (answer: Answer) => Answer
}

/**
 * Freshness: wherever one or two changes fall between port calls, an operation shows only nodes that the registry allowed
 * after the storage answered, omits no node that was visible throughout, and fails only as a new request would.
 */
export const interleavings: ReadonlyArray<Law<Interleaved>> = cases.map(({ name, world, requests, changes }) => ({
  name,
  violations: async (subject) => {
    const violations: Array<string> = []
    for (const ask of requests) {
      const queue: Array<Run['moments']> = [[{ event: `${ask.operation} of ${ask.path || '/'}`, afterCalls: 0, world }]]
      for (const moments of queue) {
        const run = await runOnce(subject, ask, moments)
        const found = judge(run)
        violations.push(...found.map((violation) => `${moments.map(({ event }) => event).join(', ')}: ${violation}`))
        if (found.length > 0) break
        if (moments.length < 3) queue.push(...changes.flatMap((change) => addMoment(run, change)))
      }
    }
    return violations
  },
}))

/** Runs one request. A change takes effect when a call begins. */
const runOnce = async (subject: Interleaved, ask: NodeAsk, moments: Run['moments']): Promise<Run> => {
  const { open, operation, toExpected = (answer) => answer } = subject
  const calls: Array<Call> = []
  const worlds = moments.map(({ world }) => toWorld(world))
  const ports = open(() => worlds[calls.at(-1)?.moment ?? 0] as World)
  const recorded =
    <A>(port: string, task: () => Promise<A>, path?: string) =>
    async (): Promise<A> => {
      // Simulates a slow storage, whose answer is newer than a concurrent read of the registry.
      if (path !== undefined) await endOfTick()
      const due = moments.filter(({ afterCalls }) => afterCalls <= calls.length)
      calls.push({ port, path, moment: due.length - 1, world: (due.at(-1) ?? moments[0]).world })
      return task()
    }
  const answer = await operation({
    ...ports,
    areaOfToken: (token) => recorded('areaOfToken', ports.areaOfToken(token)),
    areaOfUser: (user) => recorded('areaOfUser', ports.areaOfUser(user)),
    settingsOf: (owner) => recorded('settingsOf', ports.settingsOf(owner)),
    nodeAt: (area, path) => recorded('nodeAt', ports.nodeAt(area, path), path),
    list: (area, path, options) => recorded('list', ports.list(area, path, options), path),
    openFile: (area, path) => recorded('openFile', ports.openFile(area, path), path),
  })(ask)
  return { ask, moments, calls, answer, expectedAnswers: worlds.map((world) => toExpected(model(world, ask))) }
}

/** Repeats a run with one more change, before each later call. Of two changes, at least one concerns the registry. */
const addMoment = ({ moments, calls }: Run, { name, update }: Change): ReadonlyArray<Run['moments']> => {
  const { world: before, afterCalls: earliest } = moments.at(-1) ?? moments[0]
  const world = { ...before, ...update(before) }
  const isRepeated = moments.some(({ event }) => event.startsWith(name))
  if (isRepeated || (moments.length > 1 && rowsOf(world) === rowsOf(moments[0].world))) return []
  return [...calls.entries()].slice(Math.max(earliest, 1)).map(([afterCalls, { port }]) => {
    return [...moments, { event: `${name} before call ${afterCalls + 1}, ${port}`, afterCalls, world }]
  })
}
