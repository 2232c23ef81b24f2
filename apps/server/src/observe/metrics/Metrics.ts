import type { operations } from '@canopy/domain'
import type { Ports } from '../../ports/Ports.js'
import type { RefusalName } from '../../Refusal.js'

/** How a request ended. Values of closed sets only: whatever a client chooses stays out. */
export interface Ended {
  /** `none` for what is no operation. */
  readonly operation: keyof typeof operations | 'none'
  readonly status: number
  readonly failure: RefusalName | 'none'
  /** False when the connection was gone before the answer was out. */
  readonly complete: boolean
}

/** What the rooms of the server tell of their work. */
export interface Metrics {
  /** A request has come: call the result when its answer is out or its connection gone. */
  readonly began: () => (ended: Ended) => void
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
  /** A port has answered, after so many seconds. */
  readonly portAnswered: (port: keyof Ports, seconds: number, failure: RefusalName | 'none') => void
}
