import { statSync } from 'node:fs'
import { copyRegistry, RegistryUrl } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import {
  type Args,
  type Env,
  type Options,
  type Outcome,
  readArgument,
  requireConfirmation,
  type WriteEnv,
} from './Command.js'
import { type Problem, wrongUsage } from './Problem.js'
import { describeCounts, report } from './Report.js'

/** Reports what opening the registry has migrated. */
export const migrate = ({ registry: { migrated } }: WriteEnv): Outcome =>
  TE.right(
    report({ migrations: migrated }, [
      migrated.length === 0 ? 'The registry is up to date.' : `Migrated the registry: ${migrated.join(', ')}.`,
    ]),
  )

type CopyEnv = Env<RegistryUrl.RegistryUrl>

export const copy = async (env: CopyEnv, _: Args, options: Options): Promise<Outcome> => {
  const { replace = false, yes = false } = options
  if (options.from === '-' && options.to === '-')
    return TE.left(
      wrongUsage('--from and --to cannot both read standard input', 'pass one of them on the command line'),
    )
  const from = await parseUrl(env, '--from', options.from)
  const to = await parseUrl(env, '--to', options.to)
  return pipe(
    Argument.all({ from, to }),
    TE.filterOrElse(
      () => options.from !== undefined || options.to !== undefined,
      () =>
        wrongUsage(
          'no source or target given',
          'specify --to URL to copy the configured registry, --from URL to copy into it, or both',
        ),
    ),
    TE.filterOrElse(
      (urls) => !isSameRegistry(urls.from, urls.to),
      () => wrongUsage('source and target are the same registry', 'choose another target'),
    ),
    TE.tap((urls) =>
      replace && !yes
        ? requireConfirmation(env, {
            question: [`This will delete everything in ${RegistryUrl.describe(urls.to)}.`, 'Replace it?'],
            hint: 'add --yes to replace the target',
            refusal: 'nothing was copied',
          })
        : TE.right(true),
    ),
    TE.bindW('rows', (urls) =>
      copyRegistry(urls.from, urls.to, {
        replace,
        onProgress: (done, total) => env.showProgress(progressBar(done / total)),
      }),
    ),
    TE.map((copied) =>
      report({ from: RegistryUrl.describe(copied.from), to: RegistryUrl.describe(copied.to), ...copied.rows }, [
        `Copied ${describeCounts(copied.rows)} to ${RegistryUrl.describe(copied.to)} and verified the copy.`,
      ]),
    ),
  )
}

/** Defaults to the registry in use. A URL with a password can come from standard input. */
const parseUrl = async (
  env: CopyEnv,
  option: string,
  text: string | undefined,
): Promise<E.Either<Problem, RegistryUrl.RegistryUrl>> =>
  text === undefined
    ? E.right(env.registry)
    : pipe(
        RegistryUrl.fromString(env.cwd, await readArgument(env, text)),
        E.mapLeft((reason) => wrongUsage(`${option}: ${reason}`)),
      )

/** Links and mounts can lead to one file by several paths. */
const isSameRegistry = (one: RegistryUrl.RegistryUrl, other: RegistryUrl.RegistryUrl): boolean => {
  if (RegistryUrl.toText(one) === RegistryUrl.toText(other)) return true
  if (one.engine !== 'SQLite' || other.engine !== 'SQLite') return false
  const identity = fileIdentity(one.path)
  return identity !== undefined && identity === fileIdentity(other.path)
}

const fileIdentity = (path: string): string | undefined => {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    // Opening the registry reports the reason.
    return undefined
  }
}

const barLength = 40

const progressBar = (share: number): string => {
  const full = Math.round(share * barLength)
  return `[${'#'.repeat(full)}${'.'.repeat(barLength - full)}] ${Math.floor(share * 100)}%`
}
