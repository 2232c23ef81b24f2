import type { ListEnv } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { Ended } from '../Ended.js'
import type { Exchange } from '../Exchange.js'
import { endOf } from '../endOf.js'
import { type Around, aroundPorts } from '../ports/aroundPorts.js'
import type { Ports } from '../ports/Ports.js'
import type { RefusalName } from '../Refusal.js'

/** What the rooms of the server tell of their work. */
export interface Metrics {
  /** A request has come: call the result when its answer is out or its connection gone. */
  readonly began: () => (ended: Ended) => void
  /** So many requests are worked on or wait for their turn now. */
  readonly tookPlaces: (count: number) => void
  /** Refused with 503, before any work. */
  readonly shed: () => void
  /** A client was cut that had not read its answer, for the memory that it took. */
  readonly cut: () => void
  /** Refused with 429. */
  readonly limited: () => void
  /** Tree nodes or listing items that have been put into an answer. */
  readonly wroteNodes: (count: number) => void
  /** Names in a directory that was read which are not valid UTF-8, and so left out. */
  readonly sawUnlistable: (count: number) => void
  /** Entries of a directory that was read which could not be looked at. */
  readonly sawUnknown: (count: number) => void
  /** A tree leaves a directory unexpanded because it cannot be read. */
  readonly sawUnreadable: () => void
  /** A port has answered, after so many seconds. */
  readonly portAnswered: (port: keyof Ports, seconds: number, failure: RefusalName | 'none') => void
}

/** Counts and times a request, until its answer is out or its connection gone. */
export const measureRequests =
  ({ began, limited }: Pick<Metrics, 'began' | 'limited'>) =>
  (exchange: Exchange): void => {
    const ended = began()
    exchange.response.once('close', () => {
      const end = endOf(exchange)
      if (end.failure === 'too many requests') limited()
      ended(end)
    })
  }

// Plain promises: a tree calls a port for each of its directories.

const timing =
  ({ portAnswered }: Metrics): Around =>
  (port, call) =>
  async () => {
    const started = performance.now()
    const answer = await call()
    portAnswered(port, (performance.now() - started) / 1000, E.isLeft(answer) ? answer.left.error : 'none')
    return answer
  }

const countingLeftOut =
  (list: ListEnv['list'], { sawUnlistable, sawUnknown }: Metrics): ListEnv['list'] =>
  (area, path) =>
  async () => {
    const answer = await list(area, path)()
    if (E.isLeft(answer)) return answer
    const { unlistable, unknown } = answer.right
    if (unlistable > 0) sawUnlistable(unlistable)
    if (unknown !== undefined) sawUnknown(unknown.names.length)
    return answer
  }

/** The same ports, which tell how long they took and how they failed. They must keep their word: never throw, never hang. */
export const measurePorts = (ports: Ports, metrics: Metrics): Ports =>
  aroundPorts({ ...ports, list: countingLeftOut(ports.list, metrics) }, timing(metrics))
