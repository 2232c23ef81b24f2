import { text as textOf } from 'node:stream/consumers'
import { type ListEnv, type NodeAtEnv, type U64, UserId } from '@canopy/domain'
import { causeOf, visibly } from '@canopy/installation'
import {
  type Counts,
  hintOf,
  type NotEmpty,
  type Refusal,
  type RegistryReader,
  type RegistryUrl,
  type RegistryWriter,
  reasonOf,
  type Unavailable,
} from '@canopy/registry/admin'
import { type AreaNotCreatable, adviceOn, errnoOf } from '@canopy/storage-fs/admin'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AreaStore } from './areas.js'

/** What the process was started with. */
export interface Start {
  readonly version: string
  /** The version of Node. */
  readonly node: string
  /** The command line, without the program. */
  readonly words: ReadonlyArray<string>
  readonly cwd: () => string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Prints text on standard error at once. */
  readonly say: (text: string) => unknown
  /** Shows how far a command is, in place of what it showed before; absent without a terminal. */
  readonly progress?: ((text: string) => unknown) | undefined
  readonly stdin: AsyncIterable<Uint8Array>
  /** Asks a question, for yes or no; absent where no terminal is there to answer. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined
}

/** What a command works with. */
export interface Env<Registry> extends Pick<Start, 'node' | 'stdin' | 'ask'> {
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
  /** Prints a line on standard error at once. */
  readonly say: (line: string) => unknown
  /** Shows on a terminal how far the command is. */
  readonly progress: (text: string) => unknown
}

/** As much of the registry as a reader and a writer both have. */
export type ReadEnv = Env<Pick<RegistryReader, 'accounts' | 'tokens' | 'settings' | 'triggers' | 'taken'>>
export type WriteEnv = Env<RegistryWriter>

/** Only `visibility remove` meets `no such setting`, and names the account in its message. */
type Refused = Exclude<Refusal, { readonly error: 'no such setting' }> | NotEmpty | Unavailable

export type Outcome<A = Report> = TE.TaskEither<Problem | Refused, A>

/** A command, which works on a registry that is open, or on its URL. */
export type Command<Registry> = (env: Env<Registry>) => Promise<Outcome>
export type ReadCommand = Command<RegistryReader>
export type WriteCommand = Command<RegistryWriter>
/** What the command line asked for. */
export type Chosen = Command<RegistryUrl.RegistryUrl>

/** What a command answers: the same for a program and for a person. `exit` 1 says that something needs attention. */
export interface Report {
  /** Plain data, without what is `undefined`; its numbers may be those of `lossless-json`. */
  readonly json: unknown
  /** One line of text each. */
  readonly lines: ReadonlyArray<string>
  readonly exit: 0 | 1
  /** The words of the commands that undo it, where an answer that no one saw cannot be asked for again. */
  readonly undo?: ReadonlyArray<ReadonlyArray<string>>
}

export const report = (json: unknown, lines: ReadonlyArray<string>): Report => ({ json, lines, exit: 0 })

/** Rows of text as lines, each column as wide as its widest cell, as it will be printed. */
export const columns = (cells: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<string> => {
  const rows = cells.map((row) => row.map(visibly))
  const widths: Array<number> = []
  for (const row of rows)
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, cell.length)
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  )
}

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** `2 accounts, 1 token, 0 settings, 1 trigger`. */
export const rowsOf = ({ accounts, tokens, settings, triggers }: Counts): string =>
  [
    counted(accounts, 'account'),
    counted(tokens, 'token'),
    counted(settings, 'setting'),
    counted(triggers, 'trigger'),
  ].join(', ')

/** For programs: docs/admin.md says what each means, and none will mean anything else. */
type ProblemName =
  | Refusal['error']
  | AreaNotCreatable['error']
  | NotEmpty['error']
  | Unavailable['error']
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

/** What is wrong and, where that is known, what to do, as one text for people. */
export const advised = ({ message, suggestion = '' }: Pick<Problem, 'message' | 'suggestion'>): string => {
  if (suggestion === '') return message
  if (message.endsWith('.') || suggestion.startsWith('(')) return `${message} ${suggestion}`
  return `${message}${/^[A-Z]/.test(suggestion) ? '.' : ':'} ${suggestion}`
}

export const failed =
  (error: ProblemName) =>
  (message: string, suggestion?: string): Problem => ({ error, message, suggestion, exit: 1 })

/** Of what `node:fs` threw, with what can be done about its errno. */
export const external =
  (what: string) =>
  (cause: unknown): Problem =>
    failed('external')(`${what}: ${causeOf(cause)}`, adviceOn(errnoOf(cause)))

/** `what` says what was not done without the area. */
export const withoutArea =
  (what: string) =>
  ({ error, reason, suggestion }: AreaNotCreatable): Problem =>
    failed(error)(`${what}: ${reason}`, suggestion)

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

/** What was typed as an argument: for `-` all of standard input, but for the end of its line. */
export const typed = async ({ stdin }: Pick<Start, 'stdin'>, text: string): Promise<string> =>
  text === '-' ? (await textOf(stdin)).replace(/\r?\n$/, '') : text

/** Asks a person for yes or no. `suggestion` is for where no terminal is, `no` says what was not done. */
export const confirmed = (
  { ask }: Pick<Start, 'ask'>,
  question: ReadonlyArray<string>,
  suggestion: string,
  no: string,
): TE.TaskEither<Problem, boolean> =>
  ask === undefined
    ? TE.left(wrongUsage('there is no terminal to ask for confirmation', suggestion))
    : pipe(
        TE.fromTask(() => ask(`${question.map(visibly).join('\n')} [y/N] `)),
        TE.filterOrElse(identity, () => failed('not confirmed')(no)),
      )
