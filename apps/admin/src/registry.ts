import { copyRegistry, RegistryUrl } from '@canopy/registry/admin'
import * as E from 'fp-ts/lib/Either.js'
import { constVoid, pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import * as Argument from './Argument.js'
import { type Env, failed, type Outcome, type Problem, rowsOf, type WriteEnv, wrongUsage } from './Command.js'
import { report } from './Report.js'

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

export interface CopyOptions extends Argument.Options<'from' | 'to'> {
  readonly replace?: boolean
  readonly yes?: boolean
}

/** Without a URL, the registry of the installation. */
const urlOf = (
  { cwd, registry }: CopyEnv,
  name: string,
  text: string | undefined,
): E.Either<Problem, RegistryUrl.RegistryUrl> =>
  text === undefined
    ? E.right(registry)
    : pipe(
        RegistryUrl.fromString(cwd, text),
        E.mapLeft((problem) => wrongUsage(`${name}: ${problem}`)),
      )

/** What the target holds would be lost. */
const confirmed = ({ confirm }: CopyEnv, to: RegistryUrl.RegistryUrl): Outcome<unknown> => {
  if (confirm === undefined)
    return TE.left(
      wrongUsage('there is no terminal to ask for confirmation', 'add --yes to replace what the target holds'),
    )
  return pipe(
    TE.fromTask(confirm([`This deletes all that ${RegistryUrl.describe(to)} holds.`, 'Replace it?'])),
    TE.filterOrElse(
      (yes) => yes,
      () => failed('not confirmed')('nothing was copied'),
    ),
  )
}

/** A URL may hold a password, which then comes by standard input. */
export const copy = async (env: CopyEnv, { replace = false, yes = false, ...urls }: CopyOptions): Promise<Outcome> => {
  const from = urls.from && (await env.typed(urls.from))
  const to = urls.to && (await env.typed(urls.to))
  return pipe(
    Argument.all({ from: urlOf(env, '--from', from), to: urlOf(env, '--to', to) }),
    E.filterOrElse(
      () => from !== undefined || to !== undefined,
      () =>
        wrongUsage(
          'there is no place to copy to',
          'say --to URL, --from URL, or both; without one it is the registry in use',
        ),
    ),
    TE.fromEither,
    TE.tap((urls) => (replace && !yes ? confirmed(env, urls.to) : TE.right(undefined))),
    TE.flatMap((urls) =>
      pipe(
        copyRegistry(urls.from, urls.to, { replace, onProgress: env.progress ?? constVoid }),
        TE.mapLeft((failure) =>
          failure.error === 'registry unavailable' ? failed(failure.error)(failure.why, failure.suggestion) : failure,
        ),
        TE.map((rows) =>
          report({ from: RegistryUrl.describe(urls.from), to: RegistryUrl.describe(urls.to), ...rows }, [
            `Copied ${rowsOf(rows)} to ${RegistryUrl.describe(urls.to)}, and compared them.`,
          ]),
        ),
      ),
    ),
  )
}
