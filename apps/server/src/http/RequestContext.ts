import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Tree } from '@canopy/domain'
import type { Probe } from '../observe/health.js'
import type { Around } from '../ports.js'
import type { Asked, Route } from '../routes.js'
import type { Refusal } from './Refusal.js'
import type { RequestTarget } from './request.js'

/** What is known of one request while it is answered. */
export interface RequestContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** In the answer and in the log line. */
  readonly id: string
  /** When the request came, by `performance.now()`. */
  readonly began: number
  /** What answers it, where it asks how the server is. */
  readonly probe: Probe | undefined
  traceId?: string
  target?: RequestTarget
  route?: Route
  asked?: Asked
  refusal?: Refusal
  /** What the tree left unexpanded because it cannot be read: how many directories, and the first of them. */
  unreadable?: { directories: number; readonly first: Tree.Unreadable }
  /** When the oldest of what the storage gave was asked for, by `performance.now()`, where older answers are allowed. */
  storageAsked?: number
  /** Runs each call of a port in the request's trace. */
  aroundPort?: Around
}
