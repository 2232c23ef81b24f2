import { UserId } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import { hintOf, type NotEmpty, type Refusal, reasonOf, type Unavailable } from '@canopy/registry/admin'
import { errnoOf, hintOn } from '@canopy/storage-fs/admin'
import { rowsOf } from './Report.js'

/** Why the registry did not do what it was asked. */
export type Refused = Refusal | NotEmpty | Unavailable

/** For programs: docs/admin.md says what each means, and none will mean anything else. */
type ProblemName =
  | Refusal['error']
  | NotEmpty['error']
  | Unavailable['error']
  | 'area not creatable'
  | 'not confirmed'
  | 'wrong demo file'
  | 'wrong environment'
  | 'wrong import file'
  | 'wrong usage'

/** Why a command did not do what it was asked, and what to do where that is known; `exit` is 2 for wrong use. */
export interface Problem {
  readonly error: ProblemName
  readonly message: string
  readonly suggestion?: string | undefined
  readonly exit: 1 | 2
}

export const wrongUsage = (message: string, suggestion?: string): Problem => ({
  error: 'wrong usage',
  message,
  suggestion,
  exit: 2,
})

export const failed =
  (error: ProblemName) =>
  (message: string, suggestion?: string): Problem => ({ error, message, suggestion, exit: 1 })

/** Of what `node:fs` threw, with what can be done about its errno. */
export const external =
  (what: string) =>
  (cause: unknown): Problem =>
    failed('external')(`${what}: ${causeOf(cause)}`, hintOn(errnoOf(cause)))

/** `what` says what was not done. */
export const without =
  (what: string) =>
  (problem: Problem): Problem => ({ ...problem, message: `${what}: ${problem.message}` })

/** Exhaustive: a refusal of the registry without a message does not compile. */
export const problemOf = (failure: Problem | Refused): Problem => {
  if ('exit' in failure) return failure
  const because = failed(failure.error)
  switch (failure.error) {
    case 'account exists':
      return because(
        `there is an account ${UserId.toDecimal(failure.id)} already`,
        'choose another --id, or leave it out for the next free one',
      )
    case 'no such account': {
      const id = UserId.toDecimal(failure.id)
      return because(
        `there is no account ${id}`,
        `\`canopy account list\` shows the accounts, \`canopy account create --id ${id}\` makes it`,
      )
    }
    case 'no such setting':
      return because(
        `nothing is set on ${failure.path}`,
        `\`canopy visibility list ${UserId.toDecimal(failure.account)}\` shows what is set`,
      )
    case 'no such token':
      return because('there is no such token', '`canopy token list ID` shows the token ids of an account')
    case 'trigger exists':
      return because('there is a trigger with this id already', 'choose another --id, or leave it out for a random one')
    case 'no such trigger':
      return because('there is no such trigger', '`canopy trigger list` shows the triggers')
    case 'registry not empty':
      return because(
        `${failure.place} holds a registry (${rowsOf(failure.rows)}), and nothing was copied`,
        'name a place that holds none, or add --replace to delete what it holds',
      )
    case 'registry unavailable':
      return because(failure.why, failure.suggestion)
    case 'external': {
      const { cause } = failure
      // Its own cause is what the driver threw, where something can be done about that.
      const thrown = cause instanceof Error && cause.cause !== undefined ? cause.cause : cause
      return because(`the registry failed: ${reasonOf(thrown)}`, hintOf(thrown))
    }
  }
}

/** For `catch`: this errno is no failure. */
export const unless =
  (code: string) =>
  (thrown: NodeJS.ErrnoException): undefined => {
    if (thrown.code !== code) throw thrown
  }
