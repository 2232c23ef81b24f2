import type { Failure } from '@canopy/domain'
import type { Ask } from '../Ask.js'
import type { RawRequest, RawResponse } from '../backends/rawHttp.js'
import type { World } from '../World.js'

/** One sentence of the interface or the decisions, as an example: in this world, this question has exactly this answer. */
export interface Scenario {
  /** Unique, and readable on its own. */
  readonly name: string
  readonly world: World
  readonly ask: Ask
  readonly answer: Answer
  /** True when no real disk can hold the world: only for backends that hold every u64. */
  readonly memoryOnly?: true
}

/** What an operation answers with, whichever backend it was asked through. */
export type Answer =
  /** Success, with exactly this body. */
  { readonly body: string } | { readonly error: Failure.FailureName }

/** Sentences of one world. */
export const scenarioIn =
  (world: World) =>
  (name: string, ask: Ask, answer: Answer): Scenario => ({ name, world, ask, answer })

export const answers = (body: unknown): Answer => ({ body: typeof body === 'string' ? body : JSON.stringify(body) })
export const fails = (error: Failure.FailureName): Answer => ({ error })

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

/** Asks a service that has seeded the world. */
export type Send = (request: RawRequest) => Promise<RawResponse>

/** A sentence about HTTP that takes several requests: what their answers have to do with each other. */
export interface Conversation {
  readonly name: string
  readonly world: World
  /** Every violation as a sentence; none when it is so. */
  readonly violations: (send: Send) => Promise<ReadonlyArray<string>>
}
