import { type ListEnv, type NodeAtEnv, type U64, UserId } from '@canopy/domain'
import { causeOf } from '@canopy/installation'
import {
  type Counts,
  hintOf,
  type NotEmpty,
  type Refusal,
  type RegistryReader,
  type RegistryUrl,
  type RegistryWriter,
  reasonOf,
} from '@canopy/registry/admin'
import { type AreaNotCreatable, adviceOn, errnoOf } from '@canopy/storage-fs/admin'
import type * as T from 'fp-ts/lib/Task.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { AreaStore } from './AreaStore.js'
import type { Report } from './Report.js'

/** What a command works with. */
export interface Env<Registry> {
  readonly registry: Registry
  readonly areas: AreaStore
  readonly storage: NodeAtEnv & ListEnv
  /** The working directory, absolute. */
  readonly cwd: string
  /** The data directory, absolute. */
  readonly data: string
  /** `http://host:port`, where the server answers. */
  readonly baseUrl: string
  /** When the command began: Unix time in whole seconds. */
  readonly now: U64.U64
  /** Random bytes, fit for secrets, in base64url. */
  readonly random: (bytes: number) => string
  /** The version of Node. */
  readonly node: string
  readonly stdin: AsyncIterable<Uint8Array>
  /** What was typed as an argument: for `-` all of standard input, but for the end of its line. */
  readonly typed: (text: string) => Promise<string>
  /** Counts the nodes of a walk: each call is one. A terminal shows how many. */
  readonly counting: (what: string) => () => void
  /** Prints the line on standard error when the task takes long. */
  readonly whenSlow: (line: string) => <A>(task: T.Task<A>) => T.Task<A>
  /** Shows how much of all is done; absent without a terminal. */
  readonly progress: ((done: number, all: number) => void) | undefined
  /** Shows the lines, the last of them a question, and asks for yes or no; absent without a terminal. */
  readonly confirm: ((lines: ReadonlyArray<string>) => T.Task<boolean>) | undefined
}

/** As much of the registry as a reader and a writer both have. */
export type ReadEnv = Env<Pick<RegistryReader, 'accounts' | 'tokens' | 'settings' | 'triggers' | 'taken'>>
export type WriteEnv = Env<RegistryWriter>

/** Only `visibility remove` meets `no such setting`, and names the account in its message. */
type Refused = Exclude<Refusal, { readonly error: 'no such setting' }> | NotEmpty

export type Outcome<A = Report> = TE.TaskEither<Problem | Refused, A>

/**
 * What the command line asked for. A reader neither makes a registry nor migrates it; an existing writer migrates it, and
 * makes none. A command that opens registries by itself gets the URL of the installation's.
 */
export type Chosen =
  | { readonly registry: 'reader'; readonly command: ReadCommand }
  | { readonly registry: 'writer' | 'existing writer'; readonly command: WriteCommand }
  | { readonly registry: 'url'; readonly command: UrlCommand }

export type ReadCommand = (env: Env<RegistryReader>) => Promise<Outcome>
export type WriteCommand = (env: WriteEnv) => Promise<Outcome>
export type UrlCommand = (env: Env<RegistryUrl.RegistryUrl>) => Promise<Outcome>

/** For programs: docs/admin.md says what each means, and none will mean anything else. */
type ProblemName =
  | Refusal['error']
  | AreaNotCreatable['error']
  | NotEmpty['error']
  | 'not confirmed'
  | 'registry unavailable'
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
    failed('external')(`${what}: ${causeOf(cause)}`, adviceOn(errnoOf(cause)))

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** `2 accounts, 1 token, 0 settings, 1 trigger`. */
export const rowsOf = ({ accounts, tokens, settings, triggers }: Counts): string =>
  [
    counted(accounts, 'account'),
    counted(tokens, 'token'),
    counted(settings, 'setting'),
    counted(triggers, 'trigger'),
  ].join(', ')

/** Exhaustive: a refusal of the registry without a message does not compile. */
export const problemOf = (failure: Problem | Refused): Problem => {
  if ('message' in failure) return failure
  const because = failed(failure.error)
  switch (failure.error) {
    case 'account exists':
      return because(
        `there is an account ${UserId.toDecimal(failure.id)} already`,
        `choose another --id, or leave it out for the next free one`,
      )
    case 'no such account': {
      const id = UserId.toDecimal(failure.id)
      return because(
        `there is no account ${id}`,
        `\`canopy account list\` shows the accounts, \`canopy account create --id ${id}\` makes it`,
      )
    }
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
