import type { RawRequest } from '../doors/rawHttp.js'
import type { World } from '../World.js'

/** A sentence about HTTP itself: methods, targets, query parameters, headers. */
export interface HttpScenario {
  readonly name: string
  readonly world: World
  readonly request: RawRequest
  readonly answer: HttpAnswer
}

export interface HttpAnswer {
  readonly status: number
  readonly body: string
  /** Headers that must have this value, or must not be there. Others may. */
  readonly headers: ReadonlyArray<readonly [name: string, value: string | undefined]>
}
