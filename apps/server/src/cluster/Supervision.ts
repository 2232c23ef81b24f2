import * as Deaths from './Deaths.js'

/** The workers of a primary, as it knows them. */
export interface Supervision {
  /** How many workers there should be. */
  readonly wanted: number
  readonly phase: 'first start' | 'running' | 'stopping'
  /** Oldest first. */
  readonly workers: ReadonlyMap<WorkerId, Worker>
  /** The id of the next worker. */
  readonly nextId: WorkerId
  /** That of new workers. Each reload begins one; the workers of older ones are to be replaced. */
  readonly generation: number
  readonly reloading: boolean
  readonly deaths: Deaths.Deaths
  /** No worker is started before the pause is over. */
  readonly pausing: boolean
}

export type WorkerId = number

export interface Worker {
  readonly stage: 'starting' | 'ready' | 'leaving'
  readonly generation: number
}

export type Event =
  | { readonly is: 'begun' }
  | { readonly is: 'ready'; readonly id: WorkerId }
  | { readonly is: 'port open' }
  /** `by` says how: a code or a signal. */
  | { readonly is: 'exited'; readonly id: WorkerId; readonly at: number; readonly by: string }
  | { readonly is: 'pause over' }
  | { readonly is: 'reload asked'; readonly wanted: number }
  | { readonly is: 'stop asked' }

export type Command =
  | { readonly do: 'start' | 'retire' | 'stop'; readonly id: WorkerId }
  | { readonly do: 'pause'; readonly ms: number }
  | { readonly do: 'report'; readonly what: Report; readonly of?: { readonly worker: WorkerId; readonly by: string } }
  /** Nothing follows this. */
  | { readonly do: 'end'; readonly code: 0 | 1 }

export type Report =
  | 'every worker is ready'
  | 'a worker died'
  | 'reloaded'
  | 'reload abandoned: a new worker died, the others go on'
  | 'workers die again and again: giving up'

export const initial = (wanted: number): Supervision => ({
  wanted,
  phase: 'first start',
  workers: new Map(),
  nextId: 1,
  generation: 1,
  reloading: false,
  deaths: Deaths.none,
  pausing: false,
})
