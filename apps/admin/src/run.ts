import { randomBytes } from 'node:crypto'
import { U64 } from '@canopy/domain'
import { Installation, visibly, withConfigFile, workingDirectory } from '@canopy/installation'
import {
  openExistingRegistryWriter,
  openRegistryReader,
  openRegistryWriter,
  type RegistryUrl,
  type Unavailable,
} from '@canopy/registry/admin'
import { fsStorage } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, identity, pipe } from 'fp-ts/lib/function.js'
import type * as T from 'fp-ts/lib/Task.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { stringify } from 'lossless-json'
import {
  advised,
  type Chosen,
  type Command,
  type Env,
  external,
  type Problem,
  problemOf,
  type Report,
  type Start,
} from './Command.js'
import { fileAreas } from './fileAreas.js'

/** What a finished command leaves behind. */
export interface Printed extends Partial<Pick<Report, 'undo'>> {
  readonly stdout: string
  readonly stderr: string
  readonly exit: 0 | 1 | 2
}

/** Runs a command on the registry that is opened for it, and closes that at its end. */
const over =
  <Registry extends { readonly close: T.Task<void> }>(
    open: (url: RegistryUrl.RegistryUrl) => TE.TaskEither<Unavailable, Registry>,
  ) =>
  (command: Command<Registry>): Chosen =>
  async (env) =>
    TE.bracketW(
      open(env.registry),
      (registry) =>
        pipe(
          TE.fromTask(() => command({ ...env, registry })),
          TE.flatten,
        ),
      ({ close }) => TE.fromTask(close),
    )

/** Neither makes a registry nor migrates it. */
export const reading = over(openRegistryReader)
/** Makes a registry where there is none, and migrates an older one. */
export const writing = over(openRegistryWriter)
/** Migrates a registry, and makes none. */
export const migrating = over(openExistingRegistryWriter)

type Storage = Pick<Env<never>, 'areas' | 'storage'>

/** What speaks of objects is loaded only where there are some. */
const storageOf = async ({ storage }: Installation.Installation): Promise<Storage> =>
  typeof storage === 'string'
    ? { areas: fileAreas(storage), storage: fsStorage(storage) }
    : (await import('./objectAreas.js')).objectAreas(storage)

const runOn = (
  { say, progress = constVoid, ...start }: Start,
  chosen: Chosen,
  cwd: string,
  installation: Installation.Installation,
): TE.TaskEither<Problem, Report> =>
  TE.bracket(
    TE.fromTask(() => storageOf(installation)),
    (storage) =>
      pipe(
        TE.fromTask(() =>
          chosen({
            ...start,
            ...storage,
            cwd,
            registry: installation.registry,
            data: installation.data,
            baseUrl: Installation.baseUrl(installation),
            now: U64.clamp(BigInt(Math.floor(Date.now() / 1000))),
            random: (bytes) => randomBytes(bytes).toString('base64url'),
            say: (line) => say(`canopy: ${visibly(line)}\n`),
            progress: (text) => progress(visibly(text)),
          }),
        ),
        TE.flatten,
        TE.mapLeft(problemOf),
      ),
    ({ areas }) => TE.fromIO(areas.close),
  )

/** Runs a command on the installation's own registry and storage. */
const outcomeOf = (start: Start, chosen: Chosen): TE.TaskEither<Problem, Report> =>
  pipe(
    workingDirectory(start.cwd),
    E.bindTo('cwd'),
    E.bind('variables', ({ cwd }) => withConfigFile(cwd, start.variables)),
    E.bind('installation', ({ cwd, variables }) =>
      Installation.fromVariables(cwd, Installation.withoutServiceLink(variables)),
    ),
    E.mapLeft((problems): Problem => ({ error: 'wrong environment', message: problems.join('\n'), exit: 2 })),
    TE.fromEither,
    TE.flatMap(({ cwd, installation }) =>
      // Nothing here should throw; if it does, that is printed in the form that was asked for.
      TE.tryCatch(runOn(start, chosen, cwd, installation), external('a fault in canopy itself')),
    ),
    TE.flatMapEither(identity),
  )

const textOf = (lines: ReadonlyArray<string>): string => lines.map((line) => `${visibly(line)}\n`).join('')

/** A token that was typed in the wrong place may be in a message about it. */
const hidden = (text: string): string => text.replace(/cnp_[A-Za-z0-9_-]+/g, 'cnp_(not shown)')

/** With `json`, exactly one JSON document on stdout, for a failure too; else text, problems on stderr. */
export const print =
  (json: boolean) =>
  (outcome: E.Either<Problem, Report>): Printed => {
    if (E.isRight(outcome)) {
      const { json: document, lines, ...rest } = outcome.right
      return { stdout: json ? `${stringify(document)}\n` : textOf(lines), stderr: '', ...rest }
    }
    const { exit, ...problem } = outcome.left
    return json
      ? { stdout: hidden(`${stringify(problem)}\n`), stderr: '', exit }
      : { stdout: '', stderr: textOf(hidden(`canopy: ${advised(problem)}`).split('\n')), exit }
  }

/** Runs what the words ask for, or says what is wrong with them. */
export const run = async (start: Start, chosen: Chosen | Problem): Promise<Printed> => {
  const options = start.words.slice(0, start.words.includes('--') ? start.words.indexOf('--') : undefined)
  const outcome = typeof chosen === 'function' ? await outcomeOf(start, chosen)() : E.left(chosen)
  return print(options.includes('--json'))(outcome)
}
