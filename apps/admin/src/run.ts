import { U64 } from '@canopy/domain'
import { Installation, visibleJson, visibly, withConfigFile, workingDirectory } from '@canopy/installation'
import {
  messageWithHint,
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type RegistryUrl,
  type Unavailable,
} from '@canopy/registry/admin'
import { fsStorage } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { stringify } from 'lossless-json'
import * as account from './account.js'
import type { Command, Env, Options, Start, Words } from './Command.js'
import { demo } from './demo.js'
import { doctor } from './doctor.js'
import { fileAreas } from './fileAreas.js'
import * as file from './import.js'
import { external, type Problem, problemOf } from './Problem.js'
import type { Report } from './Report.js'
import * as registry from './registry.js'
import * as token from './token.js'
import * as trigger from './trigger.js'
import * as visibility from './visibility.js'

/** What a finished command leaves behind. */
export interface Printed extends Partial<Pick<Report, 'undo'>> {
  readonly stdout: string
  readonly stderr: string
  readonly exit: 0 | 1 | 2
}

/** A command, which opens the registry that it needs. */
type Opening = Command<RegistryUrl.RegistryUrl>

/** Runs a command on the registry that is opened for it, and closes that at its end. */
const over =
  <Registry extends { readonly close: T.Task<void> }>(
    open: (url: RegistryUrl.RegistryUrl) => TE.TaskEither<Unavailable, Registry>,
  ) =>
  (command: Command<Registry>): Opening =>
  (env, words, options) =>
    TE.bracketW(
      open(env.registry),
      (registry) => async () => (await command({ ...env, registry }, words, options))(),
      ({ close }) => TE.fromTask(close),
    )

/** Neither makes a registry nor migrates it. */
const reads = over(openRegistryReader)
/** Makes a registry where there is none, and migrates an older one. */
const writes = over(openRegistryWriter)
/** Migrates a registry, and makes none. */
const migrates = over(openExistingRegistryWriter)

/** One or the other, by an option. */
const where =
  (option: keyof Options, command: Opening, other: Opening): Opening =>
  (env, words, options) =>
    (options[option] === undefined ? other : command)(env, words, options)

const commands = {
  'account create': writes(account.create),
  'account list': reads(account.list),
  'account update': writes(account.update),
  'account verify': writes(account.verify(true)),
  'account unverify': writes(account.verify(false)),
  'account delete': where('dryRun', reads(account.dryDelete), writes(account.remove)),
  'token issue': writes(token.issue),
  'token list': reads(token.list),
  'token revoke': writes(token.revoke),
  'visibility set': writes(visibility.set),
  'visibility remove': writes(visibility.remove),
  'visibility list': reads(visibility.list),
  'visibility explain': reads(visibility.explain),
  'trigger create': writes(trigger.create),
  'trigger list': reads(trigger.list),
  'trigger delete': writes(trigger.remove),
  'registry migrate': where('create', writes(registry.migrate), migrates(registry.migrate)),
  'registry copy': registry.copy,
  import: where('dryRun', reads(file.dryImport), writes(file.importFile)),
  demo: writes(demo),
  doctor: reads(doctor),
} satisfies Readonly<Record<string, Opening>>

export type CommandName = keyof typeof commands

/** What the command line asks for. */
export interface Chosen {
  readonly name: CommandName
  readonly words: Words
  readonly options: Options
}

/** What speaks of objects is loaded only where there are some. */
const storageOf = async ({ storage }: Installation.Installation): Promise<Pick<Env<unknown>, 'areas' | 'storage'>> =>
  typeof storage === 'string'
    ? { areas: fileAreas(storage), storage: fsStorage(storage) }
    : (await import('./objectAreas.js')).objectAreas(storage)

const installed = ({ cwd, variables }: Start) =>
  pipe(
    workingDirectory(cwd),
    E.bindTo('cwd'),
    E.bind('variables', ({ cwd }) => withConfigFile(cwd, variables)),
    E.bind('installation', ({ cwd, variables }) =>
      Installation.fromVariables(cwd, Installation.withoutServiceLink(variables)),
    ),
    E.mapLeft((problems): Problem => ({ error: 'wrong environment', message: problems.join('\n'), exit: 2 })),
  )

/** Runs a command on the installation's own registry and storage. */
const outcomeOf = async (start: Start, { name, words, options }: Chosen): Promise<E.Either<Problem, Report>> => {
  const read = installed(start)
  if (E.isLeft(read)) return read
  const { cwd, installation } = read.right
  let storage: Awaited<ReturnType<typeof storageOf>> | undefined
  try {
    storage = await storageOf(installation)
    const env = {
      ...start,
      ...storage,
      cwd,
      registry: installation.registry,
      data: installation.data,
      baseUrl: Installation.baseUrl(installation),
      now: U64.clamp(BigInt(Math.floor(Date.now() / 1000))),
      progress: (text: string) => start.progress(visibly(text)),
    }
    const outcome = await commands[name](env, words, options)
    return E.mapLeft(problemOf)(await outcome())
  } catch (thrown) {
    // Nothing here should throw; if it does, that is printed in the form that was asked for.
    return E.left(external('a fault in canopy itself')(thrown))
  } finally {
    storage?.areas.close()
  }
}

const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${visibly(line)}\n`).join('')

/** A token that was typed in the wrong place may be in a message about it. */
const hidden = (text: string): string => text.replace(/cnp_[A-Za-z0-9_-]+/g, 'cnp_(not shown)')

const jsonText = (document: unknown): string => `${visibleJson(stringify(document) ?? '')}\n`

/** With `json`, exactly one JSON document on stdout, for a failure too; else text, problems on stderr. */
export const print =
  (json: boolean) =>
  (outcome: E.Either<Problem, Report>): Printed => {
    if (E.isRight(outcome)) {
      const { json: document, lines, ...rest } = outcome.right
      return { stdout: json ? jsonText(document) : textOf(lines), stderr: '', ...rest }
    }
    const { exit, ...problem } = outcome.left
    return json
      ? { stdout: hidden(jsonText(problem)), stderr: '', exit }
      : {
          stdout: '',
          stderr: textOf(hidden(`canopy: ${messageWithHint(problem.message, problem.suggestion)}`).split('\n')),
          exit,
        }
  }

/** Runs what the words ask for, or says what is wrong with them. */
export const run = async (start: Start, chosen: Chosen | Problem): Promise<Printed> => {
  const options = start.words.slice(0, start.words.includes('--') ? start.words.indexOf('--') : undefined)
  return print(options.includes('--json'))('error' in chosen ? E.left(chosen) : await outcomeOf(start, chosen))
}
