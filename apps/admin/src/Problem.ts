/**
 * Why a command did not do what it was asked. `error` is a constant name for programs, `message` says to a person what
 * to do; `exit` is 1 when the request failed and 2 when the command was used wrongly.
 */
export interface Problem {
  readonly error: string
  readonly message: string
  readonly exit: 1 | 2
}

export const wrongUsage = (message: string): Problem => ({ error: 'wrong usage', message, exit: 2 })

export const failed =
  (error: string) =>
  (message: string): Problem => ({ error, message, exit: 1 })

/** What an unknown thrown value says of itself. */
export const causeOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export const external =
  (what: string) =>
  (cause: unknown): Problem =>
    failed('external')(`${what}: ${causeOf(cause)}`)

export const wrongEnvironment = (problems: ReadonlyArray<string>): Problem => ({
  error: 'wrong environment',
  message: problems.join('\n'),
  exit: 2,
})
