import { statSync } from 'node:fs'
import { copyRegistry, RegistryUrl } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { confirmed, type Env, type Options, type Outcome, typed, type Words, type WriteEnv } from './Command.js'
import { type Problem, wrongUsage } from './Problem.js'
import { report, rowsOf } from './Report.js'

/** A writer brings the registry to this version when it opens it. */
export const migrate = ({ registry: { migrated } }: WriteEnv): Outcome =>
  TE.right(
    report({ migrations: migrated }, [
      migrated.length === 0
        ? 'The registry is of this version already.'
        : `Brought the registry to this version: ${migrated.join(', ')}.`,
    ]),
  )

type CopyEnv = Env<RegistryUrl.RegistryUrl>

/** Without a URL, the registry of the installation. A URL may hold a password, which then comes by standard input. */
const urlOf = async (
  env: CopyEnv,
  name: string,
  text: string | undefined,
): Promise<E.Either<Problem, RegistryUrl.RegistryUrl>> =>
  text === undefined
    ? E.right(env.registry)
    : pipe(
        RegistryUrl.fromString(env.cwd, await typed(env, text)),
        E.mapLeft((problem) => wrongUsage(`${name}: ${problem}`)),
      )

const identityOf = (path: string): string | undefined => {
  try {
    const { dev, ino } = statSync(path, { bigint: true })
    return `${dev}:${ino}`
  } catch {
    // Opening it says why.
    return undefined
  }
}

/** Links and mounts lead to one file by several paths. */
const isSame = (one: RegistryUrl.RegistryUrl, other: RegistryUrl.RegistryUrl): boolean => {
  if (RegistryUrl.toText(one) === RegistryUrl.toText(other)) return true
  if (one.engine !== 'SQLite' || other.engine !== 'SQLite') return false
  const identity = identityOf(one.path)
  return identity !== undefined && identity === identityOf(other.path)
}

const barLength = 40

const bar = (share: number): string => {
  const full = Math.round(share * barLength)
  return `[${'#'.repeat(full)}${'.'.repeat(barLength - full)}] ${Math.floor(share * 100)} %`
}

export const copy = async (env: CopyEnv, _: Words, options: Options): Promise<Outcome> => {
  const { replace = false, yes = false } = options
  if (options.from === '-' && options.to === '-')
    return TE.left(wrongUsage('standard input holds one of --from and --to', 'write the other one'))
  const from = await urlOf(env, '--from', options.from)
  const to = await urlOf(env, '--to', options.to)
  return pipe(
    Argument.all({ from, to }),
    TE.filterOrElse(
      () => options.from !== undefined || options.to !== undefined,
      () =>
        wrongUsage(
          'there is no place to copy to',
          'say --to URL, --from URL, or both; without one it is the registry in use',
        ),
    ),
    TE.filterOrElse(
      (urls) => !isSame(urls.from, urls.to),
      () => wrongUsage('source and target are the same registry', 'name another place for one of them'),
    ),
    TE.tap((urls) => {
      const question = [`This deletes all that ${RegistryUrl.describe(urls.to)} holds.`, 'Replace it?']
      return replace && !yes
        ? confirmed(env, question, 'add --yes to replace what the target holds', 'nothing was copied')
        : TE.right(true)
    }),
    TE.bindW('rows', (urls) =>
      copyRegistry(urls.from, urls.to, { replace, onProgress: (done, all) => env.progress(bar(done / all)) }),
    ),
    TE.map((copied) =>
      report({ from: RegistryUrl.describe(copied.from), to: RegistryUrl.describe(copied.to), ...copied.rows }, [
        `Copied ${rowsOf(copied.rows)} to ${RegistryUrl.describe(copied.to)}, and compared them.`,
      ]),
    ),
  )
}
