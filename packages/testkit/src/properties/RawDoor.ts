import type { RawRequest, RawResponse } from '../doors/rawHttp.js'
import type { World } from '../World.js'

/** A service whose whole answers are looked at, with status and headers. */
export interface RawDoor {
  readonly name: string
  /** Plants a fresh copy of the world; the one before it is closed first. */
  readonly open: (world: World) => Promise<OpenRawDoor>
}

export interface OpenRawDoor {
  /** The answers in the order of the requests. */
  readonly send: (requests: ReadonlyArray<RawRequest>) => Promise<ReadonlyArray<RawResponse>>
  readonly close: () => Promise<void>
}
