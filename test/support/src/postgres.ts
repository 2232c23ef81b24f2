import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { freePort } from './freePort.js'

interface Environment {
  readonly [name: string]: string | undefined
  readonly CANOPY_TEST_PG_BIN?: string | undefined
  readonly PATH?: string | undefined
}

const debian = '/usr/lib/postgresql'

/** From the newest version to the oldest. */
const debianFolders = (): ReadonlyArray<string> =>
  existsSync(debian)
    ? readdirSync(debian)
        .sort((x, y) => Number(y) - Number(x))
        .map((version) => join(debian, version, 'bin'))
    : []

const isWhole = (folder: string): boolean =>
  ['initdb', 'postgres', 'createdb'].every((program) => existsSync(join(folder, program)))

/** Finds the folder of PostgreSQL's programs: `CANOPY_TEST_PG_BIN` alone if it is set. */
export const findPostgres = (environment: Environment): E.Either<string, string> =>
  pipe(
    environment.CANOPY_TEST_PG_BIN === undefined
      ? [...(environment.PATH ?? '').split(delimiter), ...debianFolders()]
      : [environment.CANOPY_TEST_PG_BIN],
    RA.findFirst(isWhole),
    E.fromOption(
      () =>
        'PostgreSQL is not installed here: install the package postgresql (Debian, Ubuntu: apt-get install postgresql), ' +
        'or name the folder of initdb and postgres in CANOPY_TEST_PG_BIN',
    ),
  )

const run = promisify(execFile)

export interface Postgres {
  readonly url: string
  /** Returns the URL of an empty database. */
  readonly newDatabase: () => Promise<string>
  /** Starts a hot standby. Stop it before this server. */
  readonly newStandby: () => Promise<Standby>
  /** Stops every process until `goOn`. */
  readonly pause: () => void
  readonly goOn: () => void
  /** `restart` starts it again at the same address. */
  readonly crash: () => Promise<void>
  readonly restart: () => Promise<void>
  readonly stop: () => Promise<void>
}

export interface PostgresOptions {
  /** PEM, for TLS. `clients` is an authority for certificates of clients. */
  readonly certificate?: { readonly cert: string; readonly key: string; readonly clients: string }
}

export interface Standby {
  readonly urlOf: (url: string) => string
  readonly stop: () => Promise<void>
}

/** PostgreSQL refuses to run as root. */
const nobody = 65_534
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const quick = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off', 'shared_buffers=64MB']

const environment = (home: string) => ({ ...process.env, HOME: home, LC_ALL: 'C' })

const ready = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    const said: string[] = []
    server.stderr?.on('data', (text: Buffer) => {
      said.push(text.toString())
      if (/ready to accept (read-only )?connections/.test(said.join(''))) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${said.join('')}`)))
  })

interface Serving extends Pick<Postgres, 'pause' | 'goOn' | 'crash' | 'restart' | 'stop'> {
  readonly port: number
}

type Place = { readonly bin: string; readonly home: string }

const optionsIn = ({ home }: Place) => ({ ...identity, env: environment(home), cwd: home })

const newHome = async (bin: string): Promise<Place> => {
  const home = await mkdtemp(join(tmpdir(), 'canopy-postgres-'))
  if (identity.uid !== undefined) await chown(home, identity.uid, identity.gid)
  return { bin, home }
}

const dataIn = ({ home }: Place): string => join(home, 'data')

/** The server and its children, which have process groups of their own. */
const processesOf = (server: ChildProcess): ReadonlyArray<number> => {
  const { pid = 0 } = server
  return [pid, ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number)]
}

const serve = async (place: Place, more: ReadonlyArray<string> = []): Promise<Serving> => {
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', ...quick, ...more].flatMap((setting) => ['-c', setting])
  const where = ['-D', dataIn(place), '-p', String(port), '-k', place.home]
  const start = async () => {
    const server = spawn(join(place.bin, 'postgres'), [...where, ...settings], {
      ...optionsIn(place),
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const exited = once(server, 'exit')
    const kill = () => server.kill('SIGQUIT')
    process.once('exit', kill)
    await ready(server)
    const end = async (signal: NodeJS.Signals) => {
      server.kill(signal)
      await exited
      process.off('exit', kill)
    }
    return { server, end }
  }
  let running = await start()
  const signal = (name: NodeJS.Signals) => {
    for (const pid of processesOf(running.server)) process.kill(pid, name)
  }
  return {
    port,
    pause: () => signal('SIGSTOP'),
    goOn: () => signal('SIGCONT'),
    crash: () => running.end('SIGQUIT'),
    restart: async () => {
      running = await start()
    },
    stop: async () => {
      await running.end('SIGINT')
      await rm(place.home, { recursive: true, force: true })
    },
  }
}

const startStandby = async (bin: string, primary: Serving): Promise<Standby> => {
  const place = await newHome(bin)
  const from = ['-h', '127.0.0.1', '-p', String(primary.port), '-U', 'postgres']
  const how = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync']
  await run(join(bin, 'pg_basebackup'), [...from, '-D', dataIn(place), ...how], optionsIn(place))
  const standby = await serve(place)
  return { urlOf: (url) => Object.assign(new URL(url), { port: `${standby.port}` }).href, stop: standby.stop }
}

/** Starts PostgreSQL in a temporary directory. Rejects if it is not installed. */
export const startPostgres = async ({ certificate }: PostgresOptions = {}): Promise<Postgres> => {
  const bin = await pipe(
    findPostgres(process.env),
    E.match(
      (message) => Promise.reject(new Error(message)),
      (folder) => Promise.resolve(folder),
    ),
  )
  const place = await newHome(bin)
  await run(
    join(bin, 'initdb'),
    ['-D', dataIn(place), '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    optionsIn(place),
  )
  if (certificate !== undefined)
    for (const [name, text] of [
      ['server.crt', certificate.cert],
      ['server.key', certificate.key],
      ['clients.crt', certificate.clients],
    ] as const) {
      const file = join(dataIn(place), name)
      await writeFile(file, text, { mode: 0o600 })
      if (identity.uid !== undefined) await chown(file, identity.uid, identity.gid)
    }
  const server = await serve(place, certificate === undefined ? [] : ['ssl=on', 'ssl_ca_file=clients.crt'])
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${server.port}/${database}`
  const made = { databases: 0 }
  return {
    ...server,
    url: urlOf('postgres'),
    newDatabase: async () => {
      made.databases += 1
      const name = `canopy_${made.databases}`
      const at = ['-h', '127.0.0.1', '-p', String(server.port), '-U', 'postgres']
      await run(join(bin, 'createdb'), [...at, name], optionsIn(place))
      return urlOf(name)
    },
    newStandby: () => startStandby(bin, server),
  }
}
