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
import type { Args, Command, Env, Invocation, Options } from './Command.js'
import { demo } from './demo.js'
import { doctor } from './doctor.js'
import { fileAreas } from './fileAreas.js'
import * as file from './import.js'
import { moduleAreas } from './moduleAreas.js'
import { external, type Problem, toProblem } from './Problem.js'
import type { Report, Service } from './Report.js'
import * as registry from './registry.js'
import * as rule from './rule.js'
import { serve, serveVariables, start } from './serve.js'
import * as token from './token.js'
import * as trigger from './trigger.js'
import * as visibility from './visibility.js'

/** The output of a finished command. */
export interface Printed extends Partial<Pick<Report, 'undo'>> {
  /** The server to run. Its environment is that of `undo` too. */
  readonly service?: Service & { readonly variables?: Invocation['variables'] }
  readonly stdout: string
  readonly stderr: string
  readonly exit: 0 | 1 | 2
}

/** Runs the chosen command, or prints the problem with the command line. */
export const run = async (invocation: Invocation, chosen: Choice | Problem): Promise<Printed> => {
  const { argv } = invocation
  const options = argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined)
  const printed = print(options.includes('--json'))
  if ('error' in chosen) return printed(E.left(chosen))
  const variables =
    chosen.name === 'serve'
      ? await serveVariables(invocation, chosen.args, chosen.options)()
      : E.right(invocation.variables)
  if (E.isLeft(variables)) return printed(variables)
  const { service, ...rest } = printed(await execute({ ...invocation, variables: variables.right }, chosen))
  return service === undefined ? rest : { ...rest, service: { ...service, variables: variables.right } }
}

/** The command that the command line names. */
export interface Choice {
  readonly name: CommandName
  readonly args: Args
  readonly options: Options
}

export type CommandName = keyof typeof commands

/** A command that opens the registry itself. */
type OpeningCommand = Command<RegistryUrl.RegistryUrl>

const withRegistry =
  <Registry extends { readonly close: T.Task<void> }>(
    open: (url: RegistryUrl.RegistryUrl) => TE.TaskEither<Unavailable, Registry>,
  ) =>
  (command: Command<Registry>): OpeningCommand =>
  (env, args, options) =>
    TE.bracketW(
      open(env.registry),
      (registry) => async () => (await command({ ...env, registry }, args, options))(),
      ({ close }) => TE.fromTask(close),
    )

/** Neither creates a registry nor migrates it. */
const reading = withRegistry(openRegistryReader)
/** Migrates an older registry, and creates a missing one. */
const writing = withRegistry(openRegistryWriter)
/** Migrates an older registry, and fails without one. */
const migrating = withRegistry(openExistingRegistryWriter)

const ifOption =
  (option: keyof Options, command: OpeningCommand, otherwise: OpeningCommand): OpeningCommand =>
  (env, args, options) =>
    (options[option] === undefined ? otherwise : command)(env, args, options)

const commands = {
  'account create': writing(account.create),
  'account list': reading(account.list),
  'account update': writing(account.update),
  'account verify': writing(account.verify(true)),
  'account unverify': writing(account.verify(false)),
  'account delete': ifOption('dryRun', reading(account.dryDelete), writing(account.remove)),
  'token issue': writing(token.issue),
  'token list': reading(token.list),
  'token revoke': writing(token.revoke),
  'visibility set': writing(visibility.set),
  'visibility remove': writing(visibility.remove),
  'visibility list': reading(visibility.list),
  'visibility explain': reading(visibility.explain),
  'rule add': ifOption('dryRun', reading(rule.dryAdd), writing(rule.add)),
  'rule remove': writing(rule.remove),
  'rule list': reading(rule.list),
  'trigger create': writing(trigger.create),
  'trigger list': reading(trigger.list),
  'trigger delete': writing(trigger.remove),
  'registry migrate': ifOption('create', writing(registry.migrate), migrating(registry.migrate)),
  'registry copy': registry.copy,
  import: ifOption('dryRun', reading(file.dryImport), writing(file.importFile)),
  demo: writing(demo),
  serve: writing(serve),
  start,
  doctor: reading(doctor),
} satisfies Readonly<Record<string, OpeningCommand>>

const execute = async (invocation: Invocation, { name, args, options }: Choice): Promise<E.Either<Problem, Report>> => {
  const environment = readEnvironment(invocation)
  if (E.isLeft(environment)) return environment
  const { cwd, installation, variables } = environment.right
  let storage: Pick<Env<unknown>, 'areas' | 'storage'> | undefined
  try {
    const opened = await openStorage(installation)()
    if (E.isLeft(opened)) return opened
    storage = opened.right
    const env = {
      ...invocation,
      ...storage,
      cwd,
      registry: installation.registry,
      data: installation.data,
      servesFiles: variables['CANOPY_FILES'] === 'on',
      baseUrl: Installation.baseUrl(installation),
      now: U64.clamp(BigInt(Math.floor(Date.now() / 1000))),
      showProgress: (text: string) => invocation.showProgress(visibly(text)),
    }
    const outcome = await commands[name](env, args, options)
    return E.mapLeft(toProblem)(await outcome())
  } catch (thrown) {
    // A bug. Prints it in the requested form all the same.
    return E.left(external('internal error')(thrown))
  } finally {
    storage?.areas.close()
  }
}

const readEnvironment = ({ cwd, variables }: Invocation) =>
  pipe(
    workingDirectory(cwd),
    E.bindTo('cwd'),
    E.bind('variables', ({ cwd }) => withConfigFile(cwd, variables)),
    E.bind('installation', ({ cwd, variables }) =>
      Installation.fromVariables(cwd, Installation.withoutServiceLink(variables)),
    ),
    E.mapLeft((problems): Problem => ({ error: 'invalid environment', message: problems.join('\n'), exit: 2 })),
  )

/** Loads the SDK of object stores only when it is used. */
const openStorage = ({
  storage,
}: Installation.Installation): TE.TaskEither<Problem, Pick<Env<unknown>, 'areas' | 'storage'>> => {
  if (typeof storage === 'string') return TE.right({ areas: fileAreas(storage), storage: fsStorage(storage) })
  return storage instanceof URL
    ? moduleAreas(storage)
    : TE.fromTask(async () => (await import('./objectAreas.js')).objectAreas(storage))
}

/** Prints exactly one JSON document on stdout with `json`, else text with problems on stderr. */
export const print =
  (json: boolean) =>
  (outcome: E.Either<Problem, Report>): Printed => {
    if (E.isRight(outcome)) {
      const { json: document, lines, ...rest } = outcome.right
      return { stdout: json ? jsonText(document) : textOf(lines), stderr: '', ...rest }
    }
    const { exit, ...problem } = outcome.left
    return json
      ? { stdout: redactTokens(jsonText(problem)), stderr: '', exit }
      : {
          stdout: '',
          stderr: textOf(redactTokens(`canopy: ${messageWithHint(problem.message, problem.hint)}`).split('\n')),
          exit,
        }
  }

const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${visibly(line)}\n`).join('')

/** Replaces tokens, because a message may repeat one that was typed in the wrong place. */
const redactTokens = (text: string): string => text.replace(/cnp_[A-Za-z0-9_-]+/g, 'cnp_(not shown)')

const jsonText = (document: unknown): string => `${visibleJson(stringify(document) ?? '')}\n`
