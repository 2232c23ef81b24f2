import type { Ports, RawResponse, World } from '@canopy/testkit'

/** A server that is right but for one thing. Each field spoils another part of it. */
export interface Mutant {
  /** What it does, to be read after "a server that". */
  readonly name: string
  /** The name of a check that fails. */
  readonly caughtBy: string
  readonly world?: (world: World) => World
  readonly ports?: (ports: Ports, world: World) => Ports
  readonly asked?: Misreading
  readonly answered?: Misanswering
}

export type Misreading = (asked: Asked) => Asked

export type Misanswering = (answer: RawResponse, asked: Asked, ask: Ask) => RawResponse | Promise<RawResponse>

export interface Asked {
  readonly method: string
  readonly target: string
}

/** Asks the right server something else, with GET. */
export type Ask = (target: string) => Promise<RawResponse>
