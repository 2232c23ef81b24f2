import { inspect } from 'node:util'
import {
  type AreaOfTokenEnv,
  type AreaOfUserEnv,
  Failure,
  type ListEnv,
  type NodeAtEnv,
  type SettingsOfEnv,
  type TriggerOfEnv,
} from '@canopy/domain'
import { singleFlight } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { RefusalName } from './http/Refusal.js'
import type { Metrics } from './observe/Metrics.js'
import { portAnswers } from './portAnswers.js'

/** `list`, and a signal that no one waits for the listing any more: a storage may stop reading then. */
export interface ListWhileEnv extends ListEnv {
  readonly list: (...asked: [...Parameters<ListEnv['list']>, waiting?: AbortSignal]) => ReturnType<ListEnv['list']>
}

/** Everything the five operations need. */
export type Ports = AreaOfTokenEnv & AreaOfUserEnv & SettingsOfEnv & NodeAtEnv & ListWhileEnv & TriggerOfEnv

interface Named {
  readonly error: RefusalName
}

/** Runs a call of a port and answers what it answers. Each run of the call asks the port again. */
export type Around = <F extends Named, A extends object>(
  port: keyof Ports,
  call: TE.TaskEither<F | Failure.External, A>,
) => TE.TaskEither<F | Failure.External, A>

/** The same ports, every call of which runs inside `around`. */
export const aroundPorts = (ports: Ports, around: Around): Ports => ({
  areaOfToken: (token) => around('areaOfToken', () => ports.areaOfToken(token)()),
  areaOfUser: (user) => around('areaOfUser', () => ports.areaOfUser(user)()),
  settingsOf: (owner) => around('settingsOf', () => ports.settingsOf(owner)()),
  nodeAt: (area, path) => around('nodeAt', () => ports.nodeAt(area, path)()),
  list: (area, path, waiting) => around('list', () => ports.list(area, path, waiting)()),
  triggerOf: (id) => around('triggerOf', () => ports.triggerOf(id)()),
})

const external = (cause: Error): E.Either<Failure.External, never> => E.left(Failure.external(cause))

const settled = async <F, A>(
  port: keyof Ports,
  call: TE.TaskEither<F, A>,
): Promise<E.Either<F | Failure.External, A>> => {
  try {
    const found = await call()
    return (await portAnswers[port](found)) ? found : external(new Error(`${port} gave what is none of its answers`))
  } catch (thrown) {
    return external(thrown instanceof Error ? thrown : new Error(`${port} threw ${inspect(thrown, { depth: 0 })}`))
  }
}

/** What comes after the time is up is dropped; the call itself cannot be taken back. */
export const inTime =
  <F, A>(what: string, timeoutMs: number, call: TE.TaskEither<F, A>): TE.TaskEither<F | Failure.External, A> =>
  () =>
    new Promise((resolve, reject) => {
      const late = (): void => resolve(external(new Error(`${what} gave no answer within ${timeoutMs} ms`)))
      const timer = setTimeout(late, timeoutMs).unref()
      const settle =
        <B>(settled: (b: B) => void) =>
        (b: B): void => {
          clearTimeout(timer)
          settled(b)
        }
      call().then(settle(resolve), settle(reject))
    })

/**
 * The same ports, held to their contract: one that throws, rejects, gives what is none of its answers, or gives none
 * within `timeoutMs` milliseconds, answers `external` with the cause.
 */
export const guardPorts = (ports: Ports, timeoutMs: number): Ports =>
  aroundPorts(ports, (port, call) => inTime(port, timeoutMs, () => settled(port, call)))

/** The same ports, which report how long they took, how they failed, and what they left out. They must neither throw nor hang. */
export const measurePorts = (ports: Ports, metrics: Metrics): Ports => {
  const list: Ports['list'] = (area, path, waiting) => async () => {
    const answer = await ports.list(area, path, waiting)()
    if (E.isLeft(answer)) return answer
    const { unlistable, unknown } = answer.right
    if (unlistable > 0) metrics.sawUnlistable(unlistable)
    if (unknown !== undefined) metrics.sawUnknown(unknown.names.length)
    return answer
  }
  return aroundPorts({ ...ports, list }, (port, call) => async () => {
    const started = performance.now()
    const answer = await call()
    metrics.portAnswered(port, (performance.now() - started) / 1000, E.isLeft(answer) ? answer.left.error : 'none')
    return answer
  })
}

/** The same ports for one request, which waits for no listing after the signal. */
export const waitingPorts = (ports: Ports, waiting: AbortSignal): Ports => ({
  ...ports,
  list: (area, path) => ports.list(area, path, waiting),
})

/**
 * The same storage, which reads a directory once for all requests that wait for it: one reading runs and one waits, for those
 * that came after it began. It stops when the last of them has gone. For storage without change events; a cache of listings
 * shares its readings by itself.
 */
export const shareListings = <Storage extends ListWhileEnv>(storage: Storage): Storage => {
  const shared = singleFlight<Awaited<ReturnType<ReturnType<ListEnv['list']>>>>()
  const list: ListWhileEnv['list'] = (area, path, waiting) => () =>
    shared(
      `${area.location}\0${path}`,
      (abandoned) => {
        const answer = storage.list(area, path, abandoned)()
        return { answer, end: answer }
      },
      waiting,
    )
  return { ...storage, list }
}
