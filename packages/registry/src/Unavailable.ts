/** The registry cannot be used at all. `message` says why and what to do, and holds no secret. */
export interface Unavailable {
  readonly error: 'registry unavailable'
  readonly message: string
  readonly cause: unknown
  /** It is there, and only of an older version. */
  readonly isOlder?: boolean
}

export const unavailable = (message: string, cause?: unknown): Unavailable => ({
  error: 'registry unavailable',
  message,
  cause,
})

const textOf = (field: 'message' | 'code', cause: object): string =>
  field in cause ? String(cause[field as keyof typeof cause]) : ''

/** What a driver says of its failure, in one line. A refused connection may have a code and no message. */
export const reasonOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null
    ? textOf('message', cause) || textOf('code', cause) || 'no reason given'
    : String(cause)
