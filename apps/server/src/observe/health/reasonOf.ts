/** What an error says that is the cause of a failure, however deep. For the operator alone. */
export const reasonOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'cause' in cause && !(cause instanceof Error)
    ? reasonOf(cause.cause)
    : cause instanceof Error
      ? cause.message
      : 'it did not say why'
