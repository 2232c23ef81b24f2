import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { dirname, isAbsolute, join, relative, resolve } from 'node:path'
import { type AccessToken, Area, Settings, StoragePath, U64, UserId, type Visibility } from '@canopy/domain'
import { reasonOf, shellWord, workingDirectory } from '@canopy/installation'
import { type Account, tokenIdOf } from '@canopy/registry/admin'
import { StorageRoot } from '@canopy/storage-fs'
import { errnoOf } from '@canopy/storage-fs/admin'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Finding } from './AreaStore.js'
import { createAccount } from './account.js'
import type { Args, Invocation, Options, Outcome, WriteEnv } from './Command.js'
import { inspectArea } from './inspectArea.js'
import { accountSettings } from './nodeLookup.js'
import { external, type Problem, problem, wrongUsage } from './Problem.js'
import { type Report, report, withCount } from './Report.js'
import { exposedSecrets, recommendedRules, type SecretSearch, secretsJson, secretWarnings } from './secretNames.js'
import { newToken } from './token.js'

/** `canopy start`: runs the service with the configuration of the environment. */
export const start = (): Outcome => TE.right({ ...report({}, []), service: {} })

type Variables = Invocation['variables']

/**
 * Returns the variables of an installation that serves one directory. Each directory has a registry of its own, because a server
 * serves all accounts of its registry.
 */
export const serveVariables = (
  { cwd, variables }: Invocation,
  [directory]: Args,
  { host = '127.0.0.1', port, ...options }: Options,
): TE.TaskEither<Problem, Variables> =>
  pipe(
    workingDirectory(cwd),
    E.mapLeft(([reason = '']) => wrongUsage(reason)),
    E.filterOrElse(
      () => options.private === undefined || options.public === undefined,
      () => wrongUsage('--public and --private cannot be used together', 'use one of them'),
    ),
    E.filterOrElse(
      () => isLoopback(host) || options.private === true || options.public === true,
      () =>
        wrongUsage(
          `--host ${host} lets other machines connect`,
          'add --public to show the directory to everyone, or --private to show it only to people with the secret link',
        ),
    ),
    E.filterOrElse(
      () => port === undefined || (/^[1-9]\d{0,4}$/.test(port) && Number(port) < 65_536),
      () => wrongUsage(`invalid port "${port}"`, 'use a whole number from 1 to 65535, such as 8080'),
    ),
    TE.fromEither,
    TE.flatMap((from) => TE.tryCatch(() => directoryAt(resolve(from, directory)), notServed(directory))),
    TE.filterOrElse(
      (path) => !isWithin(stateDirectory(variables), path),
      () =>
        wrongUsage(
          `${directory} is the directory where \`canopy serve\` keeps its registries, or is inside it`,
          'serve another directory',
        ),
    ),
    TE.bindTo('path'),
    TE.bindW('freePort', () => TE.fromTask(async () => port ?? `${await findFreePort(host)}`)),
    TE.map(({ path, freePort }) => ({
      ...variables,
      CANOPY_CONFIG: undefined,
      CANOPY_DATA: join(stateDirectory(variables), createHash('sha256').update(path).digest('hex').slice(0, 16)),
      CANOPY_STORAGE: StorageRoot.urlOf(path),
      CANOPY_REGISTRY: undefined,
      CANOPY_BASE_PATH: undefined,
      CANOPY_WORKERS: '1',
      CANOPY_EXPLORER: 'on',
      CANOPY_HOST: host,
      CANOPY_PORT: freePort,
      CANOPY_LOG: variables['CANOPY_LOG'] ?? 'warn',
      CANOPY_FILES: 'on',
      CANOPY_LOOPBACK_ONLY: isLoopback(host) ? 'on' : undefined,
    })),
  )

const directoryAt = async (path: string): Promise<string> => {
  const real = await realpath(path)
  if ((await stat(real)).isDirectory()) return real
  throw new Error('it is not a directory')
}

const notServed = (directory: string) => (thrown: unknown) =>
  problem('external')(
    `cannot serve ${directory}: ${errnoOf(thrown) === 'ENOENT' ? 'it does not exist' : reasonOf(thrown)}`,
  )

const isWithin = (directory: string, path: string): boolean => !/^\.\.(\/|$)/.test(relative(directory, path))

const isLoopback = (host: string): boolean => /^(localhost|::1|127(\.\d{1,3}){3})$/.test(host)

/** The XDG base directory specification ignores a relative path. */
const stateDirectory = ({ XDG_STATE_HOME: state = '', HOME = homedir() }: Variables): string =>
  join(isAbsolute(state) ? state : join(HOME, '.local/state'), 'canopy')

const firstPort = 8080

/** Returns the first free port from 8080 on. If there is none, the server reports that the first one is in use. */
const findFreePort = async (host: string): Promise<number> => {
  for (let port = firstPort; port < firstPort + 20; port += 1) if (await isFree(host, port)) return port
  return firstPort
}

const isFree = (host: string, port: number): Promise<boolean> =>
  new Promise((done) => {
    const server = createServer()
      .once('error', () => done(false))
      .listen({ host, port }, () => server.close(() => done(true)))
  })

/** `canopy serve`, in the installation of {@link serveVariables}. */
export const serve = (env: WriteEnv, _: Args, options: Options): Outcome =>
  pipe(
    env.registry.accounts.all,
    TE.flatMap(
      ([known]): Outcome<{ readonly account: Account; readonly root?: Visibility.Visibility }> =>
        known === undefined
          ? pipe(
              createServed(env),
              TE.map((account) => ({ account, root: 'public' as const })),
            )
          : TE.right({ account: known }),
    ),
    TE.tap(({ account, root }) => {
      const chosen = options.private === true ? 'private' : options.public === true ? 'public' : root
      return chosen === undefined
        ? TE.right(undefined)
        : env.registry.settings.set(account.id, StoragePath.root, chosen)
    }),
    TE.bindW('known', ({ account }) => accountSettings(env.registry, account.id)),
    TE.bindW('inspection', ({ account }) => inspectArea(env, account, maxInspected)),
    TE.bindW('token', ({ account, known }) =>
      Settings.visibilityAt(known.settings, StoragePath.root).visibility === 'private'
        ? pipe(addToken(env, account), TE.map(O.some))
        : TE.right(O.none),
    ),
    TE.map(({ account, known: { settings }, inspection: { findings, secretPaths, isComplete }, token }) => {
      const search = { secrets: exposedSecrets(settings, secretPaths), isComplete }
      return serveReport(env, { account, settings, search, token, findings })
    }),
  )

/** The storage is the directory itself. `1`: the only account of its registry. */
const createServed = (env: WriteEnv): Outcome<Account> =>
  pipe(
    createAccount(env, {
      id: O.some(U64.clamp(1n) as UserId.UserId),
      name: O.none,
      location: O.some(Area.location('.')),
      verified: true,
      rules: recommendedRules,
    }),
    TE.map(({ account }) => account),
    TE.tap((account) => closeOwnState(env, account)),
  )

/** Closes the registries of this command to visitors if they are in the directory, as in a home directory. */
const closeOwnState = ({ areas, registry, data }: WriteEnv, { id }: Account): Outcome<unknown> =>
  pipe(
    TE.tryCatch(() => realpath(dirname(data)), external('cannot find the state directory')),
    TE.flatMap((state) => {
      const path = O.toUndefined(StoragePath.fromString(`/${relative(areas.title, state)}`))
      return path === undefined ? TE.right(undefined) : registry.settings.set(id, path, 'private')
    }),
  )

/** Takes a fraction of a second on a local disk. */
const maxInspected = 10_000

/** Opens the whole directory until the service ends. */
const addToken = ({ registry }: WriteEnv, { id }: Account): Outcome<AccessToken.AccessToken> => {
  const token = newToken()
  const record = { account: id, token, scope: StoragePath.root, expires: O.none, label: O.some('canopy serve') }
  return pipe(
    registry.tokens.add(record),
    TE.map(() => token),
  )
}

interface Served {
  readonly findings: ReadonlyArray<Finding>
  readonly account: Account
  readonly settings: Settings.Settings
  readonly search: SecretSearch
  readonly token: O.Option<AccessToken.AccessToken>
}

const maxNotes = 10

const serveReport = (env: WriteEnv, { account, settings, search, token, findings }: Served): Report => {
  const { areas, baseUrl, data, platform } = env
  const user = UserId.toDecimal(account.id)
  const storage = StorageRoot.urlOf(areas.title)
  const canopy = `CANOPY_DATA=${shellWord(data)} CANOPY_STORAGE=${shellWord(storage)} canopy`
  const notes = findings.map(({ path, message }) =>
    // Findings name commands for the installation of the environment.
    `${path === undefined ? '' : `${path}: `}${message}.`.replaceAll('`canopy ', `\`${canopy} `),
  )
  const page = pipe(
    token,
    O.match(
      () => `${baseUrl}/browse/id/${user}`,
      (secret) => `${baseUrl}/browse/#token=${secret}`,
    ),
  )
  const json = {
    page,
    directory: areas.title,
    data,
    account: user,
    private: O.isSome(token),
    notes,
    ...secretsJson(search),
  }
  return {
    ...report(json, [
      page,
      '',
      O.isSome(token)
        ? `Only people with this link can see ${areas.title}. The link works until this command stops.`
        : describeShown(areas.title, settings),
      ...platformNotes(platform),
      ...notes.slice(0, maxNotes),
      ...secretWarnings(account.id, search, canopy),
      '',
      `Press Ctrl-C to stop. To change what visitors see: ${canopy} visibility set ${user} PATH private`,
    ]),
    undo: O.isSome(token) ? [['token', 'revoke', tokenIdOf(token.value)]] : [],
    // A command line is no secret, so the browser does not get a link with a token from this command.
    service: { page: O.isSome(token) ? undefined : page },
  }
}

/** README has the same sentence. */
const platformNotes = (platform: string): ReadonlyArray<string> =>
  platform === 'linux'
    ? []
    : [
        'Canopy is tested on Linux only. On this system, a program that can write to the directory can expose files outside it by swapping in a symbolic link.',
      ]

const describeShown = (directory: string, settings: Settings.Settings): string => {
  const ruleCount = Settings.rules(settings).length
  // Without that of the root.
  const settingCount = Settings.size(settings) - 1
  const restrictions = [
    ...(ruleCount === 0 ? [] : [`${withCount(ruleCount, 'rule')} (for names such as .git and .env)`]),
    ...(settingCount === 0 ? [] : [withCount(settingCount, 'setting')]),
  ]
  return restrictions.length === 0
    ? `Visitors see everything in ${directory}.`
    : `Visitors see ${directory}, subject to ${restrictions.join(' and ')}.`
}
