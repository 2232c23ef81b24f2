/** What was given is no such value. The message says what one looks like, and never repeats what was given. */
export interface MalformedInput {
  readonly error: 'malformed input'
  readonly message: string
}

export const malformed = (message: string): MalformedInput => ({ error: 'malformed input', message })
