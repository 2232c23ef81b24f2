import type { RawRequest, RawResponse } from '../doors/rawHttp.js'
import type { World } from '../World.js'

/** Asks a service that has planted the world. */
export type Send = (request: RawRequest) => Promise<RawResponse>

/** A sentence about HTTP that takes several requests: what their answers have to do with each other. */
export interface Conversation {
  readonly name: string
  readonly world: World
  /** Every violation as a sentence; none when it is so. */
  readonly violations: (send: Send) => Promise<ReadonlyArray<string>>
}
