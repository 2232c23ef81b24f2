import type { Failure } from '@canopy/domain'
import { errnoOf } from '../resolve/decode.js'

/** A failure that passes between processes. */
export type PlainFailure =
  | Exclude<Failure.OfStorage, Failure.External>
  | { readonly error: 'external'; readonly cause: PlainCause }

/** The plain form of an `Error`, which would lose its code between processes. */
export interface PlainCause {
  /** Such as `EACCES`; empty if it is not an error of the system. */
  readonly code: string
  readonly message: string
}

export const plain = (failure: Failure.OfStorage): PlainFailure =>
  failure.error === 'external' ? { error: failure.error, cause: plainCause(failure.cause) } : failure

export const plainCause = (cause: unknown): PlainCause => ({
  code: errnoOf(cause),
  message: cause instanceof Error ? cause.message : String(cause),
})

export const errorOf = ({ code, message }: PlainCause): Error => Object.assign(new Error(message), code && { code })

export const failureOf = (failure: PlainFailure): Failure.OfStorage =>
  failure.error === 'external' ? { error: failure.error, cause: errorOf(failure.cause) } : failure
