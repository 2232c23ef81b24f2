import { randomBytes } from 'node:crypto'
import { text as textOf } from 'node:stream/consumers'
import { U64 } from '@canopy/domain'
import { Installation, visibly, withConfigFile, workingDirectory } from '@canopy/installation'
import {
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type Unavailable,
} from '@canopy/registry/admin'
import { fsStorage } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import { identity, pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import {
  type Chosen,
  type Env,
  external,
  failed,
  type Outcome,
  type Problem,
  problemOf,
  wrongUsage,
} from './Command.js'
import { fileAreas } from './fileAreas.js'
import { type Printed, print, type Report } from './Report.js'

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
  /** Shows how far a walk is, in place of what it showed before; absent where there is no terminal. */
  readonly progress?: ((text: string) => unknown) | undefined
  /** All of standard input. */
  readonly stdin: AsyncIterable<Uint8Array>
  /** Asks a question, for yes or no; absent where no terminal is there to answer. */
  readonly ask?: ((question: string) => Promise<boolean>) | undefined
}

/** What is wrong with the words, and what to do. */
export interface Wrong {
  readonly wrong: string
  readonly suggestion: string | undefined
}

type Running = TE.TaskEither<Problem, Report>

/** After this time a person may wonder whether the command hangs. */
const slowMs = 10_000

export const warnWhenSlow =
  (warn: (line: string) => void, ms: number) =>
  (line: string) =>
  <A>(task: T.Task<A>): T.Task<A> =>
  async () => {
    const timer = setTimeout(() => warn(line), ms)
    return task().finally(() => clearTimeout(timer))
  }

type Storage = Pick<Env<never>, 'areas' | 'storage'>

/** What speaks of objects is loaded only where there are some. */
const opened = async (storage: Installation.Installation['storage']): Promise<Storage> =>
  typeof storage === 'string'
    ? { areas: fileAreas(storage), storage: fsStorage(storage) }
    : (await import('./objectAreas.js')).objectAreas(storage)

const barLength = 40

const bar = (share: number): string => {
  const full = Math.round(share * barLength)
  return `[${'#'.repeat(full)}${'.'.repeat(barLength - full)}] ${Math.floor(share * 100)} %`
}

const envOf = (
  installation: Installation.Installation,
  { node, say, ask, stdin, progress }: Start,
  cwd: string,
): Omit<Env<never>, 'registry' | keyof Storage> => ({
  cwd,
  data: installation.data,
  baseUrl: Installation.baseUrl(installation),
  now: U64.clamp(BigInt(Math.floor(Date.now() / 1000))),
  random: (bytes) => randomBytes(bytes).toString('base64url'),
  node,
  stdin,
  typed: async (text) => (text === '-' ? (await textOf(stdin)).replace(/\r?\n$/, '') : text),
  counting: (what) => {
    let nodes = 0
    return () => {
      nodes += 1
      progress?.(`${visibly(what)}: ${nodes} nodes`)
    }
  },
  whenSlow: warnWhenSlow((line) => say(`canopy: ${visibly(line)}\n`), slowMs),
  progress: progress && ((done, all) => progress(bar(done / all))),
  confirm: ask && ((lines) => () => ask(`${lines.map(visibly).join('\n')} [y/N] `)),
})

const done = (outcome: () => Promise<Outcome>): Running => pipe(TE.fromTask(outcome), TE.flatten, TE.mapLeft(problemOf))

/** Runs the command on a registry, and closes that at its end. */
const over = <Registry extends { readonly close: T.Task<void> }>(
  env: Omit<Env<Registry>, 'registry'>,
  open: TE.TaskEither<Unavailable, Registry>,
  command: (env: Env<Registry>) => Promise<Outcome>,
): Running =>
  TE.bracket(
    pipe(
      open,
      TE.mapLeft(({ error, why, suggestion }) => failed(error)(why, suggestion)),
    ),
    (registry) => done(() => command({ ...env, registry })),
    ({ close }) => TE.fromTask(close),
  )

const runOn = (installation: Installation.Installation, chosen: Chosen, start: Start, cwd: string): Running =>
  TE.bracket(
    TE.fromTask(() => opened(installation.storage)),
    (storage) => {
      const env = { ...envOf(installation, start, cwd), ...storage }
      if (chosen.registry === 'url') return done(() => chosen.command({ ...env, registry: installation.registry }))
      if (chosen.registry === 'reader') return over(env, openRegistryReader(installation.registry), chosen.command)
      const open = chosen.registry === 'writer' ? openRegistryWriter : openExistingRegistryWriter
      return over(env, open(installation.registry), chosen.command)
    },
    ({ areas }) => TE.fromIO(areas.close),
  )

const outcomeOf = (start: Start, chosen: Chosen): Running =>
  pipe(
    workingDirectory(start.cwd),
    E.flatMap((directory) =>
      pipe(
        withConfigFile(directory, start.variables),
        E.flatMap((variables) => Installation.fromVariables(directory, Installation.withoutServiceLink(variables))),
        E.map((installation) => ({ installation, directory })),
      ),
    ),
    E.mapLeft((problems): Problem => ({ error: 'wrong environment', message: problems.join('\n'), exit: 2 })),
    TE.fromEither,
    TE.flatMap(({ installation, directory }) =>
      // Nothing here should throw; if it does, that is printed in the form that was asked for.
      TE.tryCatch(runOn(installation, chosen, start, directory), external('a fault in canopy itself')),
    ),
    TE.flatMapEither(identity),
  )

/** Runs a command on the installation's own registry and storage. */
export const run = async (start: Start, parsed: Chosen | Wrong): Promise<Printed> => {
  const options = start.words.slice(0, start.words.includes('--') ? start.words.indexOf('--') : undefined)
  const outcome =
    'wrong' in parsed ? E.left(wrongUsage(parsed.wrong, parsed.suggestion)) : await outcomeOf(start, parsed)()
  return print(options.includes('--json'))(outcome)
}
