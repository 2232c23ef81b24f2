import type { Failure } from '@canopy/domain'
import { type AnyFailure, statusOf } from '../Failure.js'
import type { MalformedInput } from '../Input.js'
import * as TransportFailure from '../TransportFailure.js'

export type AnyCause = AnyFailure | MalformedInput | TransportFailure.TransportFailure

/** The one error that this client rejects with. Nothing in it holds a URL, a token or a trigger id. */
export class CanopyError extends Error {
  override readonly name = 'CanopyError'
  /** A name of the interface, part 7; or what was given is malformed; or there is no answer of the operation. */
  readonly error: Failure.FailureName | 'malformed input' | 'transport'
  /** Of the HTTP answer, where there was one; a browser does not tell that of a redirect. */
  readonly status: number | undefined
  /** More, when `error` is `transport`: why there is no answer of the operation. */
  readonly transport: TransportFailure.TransportFailure | undefined

  constructor(cause: AnyCause) {
    super(messageOf(cause))
    this.error = cause.error
    this.status = statusIn(cause)
    this.transport = cause.error === 'transport' ? cause : undefined
  }
}

const messageOf = (cause: AnyCause): string =>
  cause.error === 'malformed input'
    ? cause.message
    : cause.error === 'transport'
      ? TransportFailure.message(cause)
      : cause.error

const statusIn = (cause: AnyCause): number | undefined =>
  cause.error === 'malformed input'
    ? undefined
    : cause.error === 'transport'
      ? 'status' in cause && cause.status > 0
        ? cause.status
        : undefined
      : statusOf[cause.error]
