import { text as textOf } from 'node:stream/consumers'
import type { ListEnv, NodeAtEnv, U64 } from '@canopy/domain'
import { visibly } from '@canopy/installation'
import type { RegistryReader, RegistryWriter } from '@canopy/registry/admin'
import { identity, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { AreaStore } from './areas.js'
import { failed, type Problem, type Refused, wrongUsage } from './Problem.js'
import type { Report } from './Report.js'

/** What the process was started with. */
export interface Start {
  readonly version: string
  /** The version of Node. */
  readonly node: string
  /** The command line, without the program. */
  readonly words: ReadonlyArray<string>
  readonly cwd: () => string
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Shows how far a command is, in place of what it showed before. */
  readonly progress: (text: string) => unknown
  readonly stdin: AsyncIterable<Uint8Array>
  /** Asks a question, for yes or no; absent where no terminal is there to answer. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined
}

/** The options of all commands: each means the same wherever it is taken. */
export interface Options {
  readonly area?: string
  readonly create?: boolean
  readonly dryRun?: boolean
  readonly expires?: string
  readonly from?: string
  readonly id?: string
  readonly label?: string
  readonly name?: string
  readonly replace?: boolean
  readonly scope?: string
  readonly to?: string
  readonly type?: string
  readonly value?: string
  readonly verified?: boolean
  readonly yes?: boolean
}

/** The arguments, in their order; a command that takes one is not run without it. */
export type Words = readonly [first: string, second: string, third: string]

/** What a command works with. */
export interface Env<Registry> extends Pick<Start, 'node' | 'stdin' | 'ask' | 'progress'> {
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
}

/** As much of the registry as a reader and a writer both have. */
export type ReadEnv = Env<Pick<RegistryReader, 'accounts' | 'tokens' | 'settings' | 'triggers'>>
export type WriteEnv = Env<RegistryWriter>

export type Outcome<A = Report> = TE.TaskEither<Problem | Refused, A>

/** A command, which works on a registry that is open, or on its URL. */
export type Command<Registry> = (env: Env<Registry>, words: Words, options: Options) => Outcome | Promise<Outcome>

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
