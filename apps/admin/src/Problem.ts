import { Rules, UserId } from '@canopy/domain'
import { reasonOf, shellWord } from '@canopy/installation'
import { driverReason, hintOf, type NotEmpty, type Unavailable, type WriteError } from '@canopy/registry/admin'
import { errnoOf, hintOn } from '@canopy/storage-fs/admin'
import { describeCounts } from './Report.js'

/** The failure of a command; `exit` is 2 for invalid usage. */
export interface Problem {
  readonly error: ProblemName
  readonly message: string
  readonly hint?: string | undefined
  readonly exit: 1 | 2
}

/** A failure of the registry that has no message yet. */
export type RegistryFailure = WriteError | NotEmpty | Unavailable

/** Programs rely on these names. docs/admin.md defines them, and a released name never changes its meaning. */
type ProblemName =
  | RegistryFailure['error']
  | 'cannot create area'
  | 'not confirmed'
  | 'invalid demo file'
  | 'invalid environment'
  | 'invalid import file'
  | 'invalid usage'

export const problem =
  (error: ProblemName) =>
  (message: string, hint?: string): Problem => ({ error, message, hint, exit: 1 })

export const wrongUsage = (message: string, hint?: string): Problem => ({
  error: 'invalid usage',
  message,
  hint,
  exit: 2,
})

/** Converts an error of `node:fs`; its errno decides the hint. */
export const external =
  (task: string) =>
  (cause: unknown): Problem =>
    problem('external')(`${task}: ${reasonOf(cause)}`, hintOn(errnoOf(cause)))

export const withPrefix =
  (prefix: string) =>
  (failure: Problem): Problem => ({ ...failure, message: `${prefix}: ${failure.message}` })

/** Exhaustive: a failure of the registry without a message does not compile. */
export const toProblem = (failure: Problem | RegistryFailure): Problem => {
  if ('exit' in failure) return failure
  const because = problem(failure.error)
  switch (failure.error) {
    case 'account exists':
      return because(
        `account ${UserId.toDecimal(failure.id)} already exists`,
        'choose another --id, or omit it for the next free one',
      )
    case 'no such account': {
      const id = UserId.toDecimal(failure.id)
      return because(
        `account ${id} does not exist`,
        `run \`canopy account list\` to list the accounts, or \`canopy account create --id ${id}\` to create this one`,
      )
    }
    case 'no such setting':
      return because(
        `${failure.path} has no setting`,
        `run \`canopy visibility list ${UserId.toDecimal(failure.account)}\` to list the settings`,
      )
    case 'no such rule':
      return because(
        `there is no rule ${shellWord(failure.pattern)}`,
        `run \`canopy rule list ${UserId.toDecimal(failure.account)}\` to list the rules`,
      )
    case 'too many rules':
      return because(
        `account ${UserId.toDecimal(failure.account)} would have more than ${Rules.maxCount} rules, or more than ${Rules.maxBytes} bytes of patterns`,
        'remove some rules, or combine several into one pattern with *',
      )
    case 'no such token':
      return because('the token does not exist', "run `canopy token list ID` to list an account's token IDs")
    case 'trigger exists':
      return because('a trigger with this ID already exists', 'choose another --id, or omit it for a random one')
    case 'no such trigger':
      return because('the trigger does not exist', 'run `canopy trigger list` to list the triggers')
    case 'registry not empty':
      return because(
        `nothing was copied: ${failure.place} contains a registry (${describeCounts(failure.rows)})`,
        'choose another target, or add --replace to overwrite this one',
      )
    case 'registry unavailable':
      return because(failure.reason, failure.hint)
    case 'external': {
      const { cause } = failure
      // The inner cause is the driver's error, which has the hint.
      const thrown = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
      return because(`registry error: ${driverReason(thrown)}`, hintOf(thrown))
    }
  }
}

/** Handler for `catch` that resolves to `undefined` on this errno and rethrows any other. */
export const ignoreErrno =
  (code: string) =>
  (thrown: NodeJS.ErrnoException): undefined => {
    if (thrown.code !== code) throw thrown
  }
