import type { Tree } from '@canopy/domain'
import type * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import type { Answer } from './answer/Answer.js'
import type { Operation } from './Operation.js'
import type { Metrics } from './observe/Metrics.js'
import type { Ports } from './ports/Ports.js'
import type { Refusal } from './Refusal.js'

/** What an operation is asked, raw, as it stands in the request target. */
export interface Asked {
  /** The token, the user id or the trigger id: one segment. */
  readonly credential: string
  /** What follows it. */
  readonly path: string
  readonly query: string
}

export interface RouteEnv extends Ports {
  /** The node budget of one tree. */
  readonly treeNodes: number
  readonly metrics?: Metrics
  /** Of this request: its tree leaves a directory unexpanded because it cannot be read. */
  readonly sawUnreadable?: (directory: Tree.Unreadable) => void
}

/** How one operation is asked and answered over HTTP. */
export interface Route {
  readonly operation: Operation
  /** The target up to the credential. */
  readonly prefix: string
  readonly takesPath: boolean
  /** What the segment behind the prefix is. Tokens and triggers are secrets. */
  readonly credential: 'token' | 'user id' | 'trigger'
  readonly answer: (asked: Asked) => RTE.ReaderTaskEither<RouteEnv, Refusal, Answer>
}
