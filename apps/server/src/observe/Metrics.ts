import type { CacheFigures } from '@canopy/storage-fs'
import type { RefusalName } from '../http/Refusal.js'
import type { Ports } from '../ports.js'
import type { Operation } from '../routes.js'

/** How a request ended. Values of closed sets only: whatever a client chooses stays out. */
export interface Ended {
  /** `none` for what is no operation. */
  readonly operation: Operation | 'none'
  /** `none` when the connection was gone before an answer began. */
  readonly status: number | 'none'
  readonly failure: RefusalName | 'none'
  /** False when the connection was gone before the answer was out. */
  readonly complete: boolean
}

/** What the server reports of its work. */
export interface Metrics {
  /** A request has come: call the result when its answer is out or its connection gone. */
  readonly began: () => (ended: Ended) => void
  /** How many requests are worked on or queued now. */
  readonly tookPlaces: (count: number) => void
  /** A client was cut that had not read its answer, for the memory that it took. */
  readonly cut: () => void
  /** A connection was closed at once, because too many are open. */
  readonly refusedConnection: () => void
  /** Tree nodes or listing items that have been put into an answer. */
  readonly wroteNodes: (count: number) => void
  /** Names in a directory that was read which are not valid UTF-8, and so left out. */
  readonly sawUnlistable: (count: number) => void
  /** Entries of a directory that was read which could not be looked at. */
  readonly sawUnknown: (count: number) => void
  /** A tree leaves a directory unexpanded because it cannot be read. */
  readonly sawUnreadable: () => void
  /** A port has answered, after this time in seconds. */
  readonly portAnswered: (port: keyof Ports, seconds: number, failure: RefusalName | 'none') => void
  /** The cache of listings, whose figures are read at each scrape. */
  readonly watchCache: (figures: () => CacheFigures) => void
}
