import type { Ended } from '../../Ended.js'
import type { Ports } from '../../ports/Ports.js'
import type { RefusalName } from '../../Refusal.js'

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
