import type { ParameterizedContext } from 'koa'
import type { Around } from './observe/aroundPorts.js'
import type { Refusal } from './Refusal.js'
import type { RequestTarget } from './RequestTarget.js'
import type { Asked, Route } from './routes.js'

/** What the rooms of one request leave for its log line. */
export interface RequestState {
  requestId?: string
  traceId?: string
  target?: RequestTarget
  route?: Route
  asked?: Asked
  refusal?: Refusal
  /** Somebody asks how the server is, not what it has. */
  isProbe?: boolean
  /** Runs each call of a port in the request's trace. */
  aroundPort?: Around
}

export type RequestContext = ParameterizedContext<RequestState>
