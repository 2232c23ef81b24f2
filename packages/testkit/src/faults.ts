import { isDeepStrictEqual } from 'node:util'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { Answer } from './scenarios/Scenario.js'
import type { Ports } from './World.js'

/** Replaces one call of a port: what it returns need not be a `TaskEither`. */
type Fault = () => unknown

/** In the message of every error that a fault throws, rejects with or gives as its cause. */
export const faultMark = 'the fault that was injected'

const throws = (): never => {
  throw new Error(faultMark)
}

/** The ways in which a port may fail, its own `external` first, then every way of breaking its word. */
export const faults = {
  'fails with external': () => async () => E.left(Failure.external(new Error(faultMark))),
  rejects: () => () => Promise.reject(new Error(faultMark)),
  'rejects with nothing': () => () => Promise.reject(),
  throws,
  'returns a task that throws': () => throws,
  'returns no task': () => undefined,
  'never answers': () => () => new Promise(() => undefined),
} satisfies Readonly<Record<string, Fault>>

export type FaultName = keyof typeof faults

/** The answers to a question while one call after the other fails. */
interface Outcome<A> {
  /** The answer when the first call failed, when the second did, and so on to the last. */
  readonly failed: ReadonlyArray<A>
  /** The answer when none was left to fail. */
  readonly whole: A
}

/**
 * Asks again and again, over the same ports, of which each time the next call fails in this way: `fails with external`, or
 * a way of breaking a port's word, such as `rejects`. A question that makes three calls is asked four times.
 */
export const failEachCall = async <A>(
  ports: Ports,
  how: FaultName,
  ask: (ports: Ports) => Promise<A>,
): Promise<Outcome<A>> => {
  const failed: Array<A> = []
  for (;;) {
    let calls = 0
    const orFail =
      <Asked extends ReadonlyArray<unknown>, B>(call: (...asked: Asked) => B) =>
      (...asked: Asked): B => {
        calls += 1
        return calls === failed.length + 1 ? (faults[how]() as B) : call(...asked)
      }
    const answer = await ask({
      areaOfToken: orFail(ports.areaOfToken),
      areaOfUser: orFail(ports.areaOfUser),
      settingsOf: orFail(ports.settingsOf),
      nodeAt: orFail(ports.nodeAt),
      list: orFail(ports.list),
      triggerOf: orFail(ports.triggerOf),
    })
    if (calls <= failed.length) return { failed, whole: answer }
    failed.push(answer)
  }
}

interface Shown {
  readonly content?: ReadonlyArray<Shown>
}

/** How many directories are not expanded that the whole tree expands; NaN where anything else differs. */
const notExpanded = ({ content: all, ...whole }: Shown, { content, ...shown }: Shown): number => {
  if (!isDeepStrictEqual(shown, whole)) return Number.NaN
  if (content === undefined) return all === undefined ? 0 : 1
  if (content.length !== all?.length) return Number.NaN
  return all.reduce((sum, child, index) => sum + notExpanded(child, content[index] ?? {}), 0)
}

const treeIn = (answer: Answer): Shown => ('body' in answer ? JSON.parse(answer.body).content : {})

/**
 * Whether an answer may be given when one call of a port has failed: `external`, or a tree that is the whole one but for one
 * directory, which is not expanded.
 */
export const failsHonestly = (answer: Answer, whole: Answer): boolean =>
  'error' in answer ? answer.error === 'external' : notExpanded(treeIn(whole), treeIn(answer)) === 1
