import { text as textOf } from 'node:stream/consumers'
import type { ListEnv, NodeAtEnv, U64 } from '@canopy/domain'
import { visibly } from '@canopy/installation'
import type { RegistryReader, RegistryWriter } from '@canopy/registry/admin'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AreaStore } from './AreaStore.js'
import { type Problem, problem, type RegistryFailure, wrongUsage } from './Problem.js'
import type { Report } from './Report.js'

/** A command, over an open registry or, before it is opened, over its URL. */
export type Command<Registry> = (env: Env<Registry>, args: Args, options: Options) => Outcome | Promise<Outcome>

export type Outcome<A = Report> = TE.TaskEither<Problem | RegistryFailure, A>

/** Positional arguments. The parser checks that a command gets all of its own. */
export type Args = readonly [first: string, second: string, third: string]

/** The options of all commands. An option has one meaning everywhere. */
export type Options = Partial<
  Readonly<
    Record<
      'area' | 'expires' | 'from' | 'host' | 'id' | 'label' | 'name' | 'port' | 'scope' | 'to' | 'type' | 'value',
      string
    >
  > &
    Readonly<
      Record<'create' | 'dryRun' | 'private' | 'public' | 'recommendedRules' | 'replace' | 'verified' | 'yes', boolean>
    >
>

/** One run of the program, as the process provides it. */
export interface Invocation {
  readonly version: string
  readonly nodeVersion: string
  /** As `process.platform`. */
  readonly platform: string
  /** The command line, without the program. */
  readonly argv: ReadonlyArray<string>
  readonly cwd: () => string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Replaces the progress that the terminal shows. */
  readonly showProgress: (text: string) => unknown
  readonly stdin: AsyncIterable<Uint8Array>
  /** Asks a yes-or-no question; absent without a terminal. */
  readonly confirm?: ((question: string) => Promise<boolean>) | undefined
}

export interface Env<Registry>
  extends Pick<Invocation, 'nodeVersion' | 'platform' | 'stdin' | 'confirm' | 'showProgress'> {
  readonly registry: Registry
  readonly areas: AreaStore
  readonly storage: NodeAtEnv & ListEnv
  /** The working directory, absolute. */
  readonly cwd: string
  /** The data directory, absolute. */
  readonly data: string
  /** The URL of the server: `http://host:port`. */
  readonly baseUrl: string
  /** Whether `CANOPY_FILES` is `on`. */
  readonly servesFiles: boolean
  /** The start of the command, in Unix seconds. */
  readonly now: U64.U64
}

/** The part of the registry that readers and writers share. */
export type ReadEnv = Env<Pick<RegistryReader, 'accounts' | 'tokens' | 'settings' | 'triggers'>>
export type WriteEnv = Env<RegistryWriter>

/** Reads standard input, without its last line end, where the argument is `-`. */
export const readArgument = async ({ stdin }: Pick<Invocation, 'stdin'>, text: string): Promise<string> =>
  text === '-' ? (await textOf(stdin)).replace(/\r?\n$/, '') : text

interface Confirmation {
  readonly question: ReadonlyArray<string>
  /** Without a terminal: the option that replaces the question. */
  readonly hint: string
  /** The message after a no. */
  readonly refusal: string
}

export const requireConfirmation = (
  { confirm }: Pick<Invocation, 'confirm'>,
  { question, hint, refusal }: Confirmation,
): TE.TaskEither<Problem, boolean> =>
  confirm === undefined
    ? TE.left(wrongUsage('cannot ask for confirmation without a terminal', hint))
    : pipe(
        TE.fromTask(() => confirm(`${question.map(visibly).join('\n')} [y/N] `)),
        TE.filterOrElse(identity, () => problem('not confirmed')(refusal)),
      )
