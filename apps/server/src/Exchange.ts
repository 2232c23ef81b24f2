import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Tree } from '@canopy/domain'
import type { RoomFor } from './defence/unreadBytes.js'
import type { Around } from './ports/aroundPorts.js'
import type { Refusal } from './Refusal.js'
import type { Asked, Route } from './Route.js'
import type { RequestTarget } from './request/RequestTarget.js'

/** What the rooms of one request tell each other, and its log line. */
export interface RequestState {
  readonly requestId: string
  /** Somebody asks how the server is, not what it has. */
  readonly isProbe: boolean
  traceId?: string
  target?: RequestTarget
  route?: Route
  asked?: Asked
  refusal?: Refusal
  /** What the tree left unexpanded because it cannot be read: how many directories, and the first of them. */
  unreadable?: { directories: number; readonly first: Tree.Unreadable }
  /** Runs each call of a port in the request's trace. */
  aroundPort?: Around
}

/** One request and its answer, on their way through the service. */
export interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly state: RequestState
  /** Asked before a body goes out. */
  readonly roomFor: RoomFor
  /** When the request came, by `performance.now()`. */
  readonly began: number
}

const own = Symbol('exchange')

type Carrier = IncomingMessage & { [own]: Exchange }

/**
 * The request carries its exchange itself. In a `WeakMap` both would outlive the answer until the next full collection: a
 * minor one takes every value of an old map for used, whatever became of its key.
 */
export const carry = (exchange: Exchange): void => {
  const carrier = exchange.request as Carrier
  carrier[own] = exchange
}

/** Of a request that came by the service. */
export const carriedBy = (request: IncomingMessage): Exchange => (request as Carrier)[own]
