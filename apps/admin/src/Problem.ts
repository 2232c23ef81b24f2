import { causeOf } from '@canopy/installation'
import type { Refusal, Unavailable } from '@canopy/registry/admin'
import type { AreaNotCreatable } from '@canopy/storage-fs/admin'

/** For programs: docs/admin.md says what each means, and none will mean anything else. */
type ProblemName =
  | Refusal['error']
  | Unavailable['error']
  | AreaNotCreatable['error']
  | 'not confirmed'
  | 'wrong demo file'
  | 'wrong environment'
  | 'wrong usage'

/**
 * Why a command did not do what it was asked. `message` says to a person what to do; `exit` is 1 when the request failed
 * and 2 when the command was used wrongly.
 */
export interface Problem {
  readonly error: ProblemName
  readonly message: string
  readonly exit: 1 | 2
}

export const wrongUsage = (message: string): Problem => ({ error: 'wrong usage', message, exit: 2 })

export const failed =
  (error: ProblemName) =>
  (message: string): Problem => ({ error, message, exit: 1 })

export const external =
  (what: string) =>
  (cause: unknown): Problem =>
    failed('external')(`${what}: ${causeOf(cause)}`)

export const wrongEnvironment = (problems: ReadonlyArray<string>): Problem => ({
  error: 'wrong environment',
  message: problems.join('\n'),
  exit: 2,
})
