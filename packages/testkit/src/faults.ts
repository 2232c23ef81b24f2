import { isDeepStrictEqual } from 'node:util'
import { Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { Answer } from './scenarios/Scenario.js'
import type { Ports } from './World.js'

/** Replaces one call of a port. Need not return a `TaskEither`. */
type Fault = () => unknown

/** Every error of a fault has this message. */
export const faultMark = 'the fault that was injected'

const throws = (): never => {
  throw new Error(faultMark)
}

/** The first fault is a failure of the port; all others violate its type. */
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

/** The answers to one request, with a fault in one call after the other. */
interface Outcome<A> {
  /** By the index of the call that failed. */
  readonly failed: ReadonlyArray<A>
  /** The answer without a fault. */
  readonly whole: A
}

/** Repeats a request, each time with a fault in the next call of a port. A request with three calls runs four times. */
export const failEachCall = async <A>(
  ports: Ports,
  how: FaultName,
  ask: (ports: Ports) => Promise<A>,
): Promise<Outcome<A>> => {
  const failed: Array<A> = []
  for (;;) {
    let calls = 0
    const orFail =
      <Args extends ReadonlyArray<unknown>, B>(call: (...args: Args) => B) =>
      (...args: Args): B => {
        calls += 1
        return calls === failed.length + 1 ? (faults[how]() as B) : call(...args)
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

/** Counts the directories that only the whole tree expands. NaN for any other difference. */
const notExpanded = ({ content: all, ...whole }: Shown, { content, ...shown }: Shown): number => {
  if (!isDeepStrictEqual(shown, whole)) return Number.NaN
  if (content === undefined) return all === undefined ? 0 : 1
  if (content.length !== all?.length) return Number.NaN
  return all.reduce((sum, child, index) => sum + notExpanded(child, content[index] ?? {}), 0)
}

/** Reports whether lines differ only by one directory that is not expanded, whose own line may be added. */
const lacksOneDirectory = (whole: ReadonlyArray<string>, shown: ReadonlyArray<string>): boolean => {
  const [line = '{}', ...others] = shown.filter((each) => !whole.includes(each))
  const { path, expanded } = JSON.parse(line)
  const missing = whole.filter((each) => !shown.includes(each)).map((each) => `${JSON.parse(each).path}/`)
  return others.length === 0 && expanded === false && missing.every((each) => each.startsWith(`${path}/`))
}

const linesIn = (answer: Answer): ReadonlyArray<string> =>
  'body' in answer && answer.body.endsWith('\n') ? answer.body.trimEnd().split('\n') : []

const treeIn = (answer: Answer): Shown => ('body' in answer ? JSON.parse(answer.body).content : {})

/** After a fault, an answer must be `external`, or the whole tree with one directory that is not expanded. */
export const failsHonestly = (answer: Answer, whole: Answer): boolean =>
  'error' in answer
    ? answer.error === 'external'
    : linesIn(answer).length > 0
      ? lacksOneDirectory(linesIn(whole), linesIn(answer))
      : notExpanded(treeIn(whole), treeIn(answer)) === 1
