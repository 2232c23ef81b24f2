import type { Failure } from '@canopy/domain'
import type { Ask } from '../Ask.js'
import type { World } from '../World.js'

/** One sentence of the interface or the decisions, as an example: in this world, this question has exactly this answer. */
export interface Scenario {
  /** Unique, and readable on its own. */
  readonly name: string
  readonly world: World
  readonly ask: Ask
  readonly answer: Answer
  /** True when no real disk can hold the world: only for doors that hold every u64. */
  readonly memoryOnly?: true
}

/** What an operation answers with, whichever door it was asked through. */
export type Answer =
  /** Success, with exactly this body. */
  { readonly body: string } | { readonly error: Failure.FailureName }

export const answers = (body: unknown): Answer => ({ body: typeof body === 'string' ? body : JSON.stringify(body) })
export const fails = (error: Failure.FailureName): Answer => ({ error })
