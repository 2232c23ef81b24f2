import { inspect } from 'node:util'

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name)

/** What an unknown thrown value says of itself, in one line. */
export const causeOf = (thrown: unknown): string =>
  thrown instanceof Error
    ? thrown.message === ''
      ? codeOf(thrown)
      : thrown.message
    : inspect(thrown, { breakLength: Number.POSITIVE_INFINITY })
