import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import type { Environment } from './daemon.js'
import { freePort } from './freePort.js'

const debian = '/usr/lib/postgresql'

/** The programs of Debian, from the newest version to the oldest. */
const debianFolders = (): ReadonlyArray<string> =>
  (existsSync(debian) ? readdirSync(debian) : [])
    .sort((x, y) => Number(y) - Number(x))
    .map((version) => join(debian, version, 'bin'))

/** Finds the folder of PostgreSQL's programs: `CANOPY_TEST_PG_BIN` alone if it is set. */
export const findPostgres = (environment: Environment): E.Either<string, string> => {
  const chosen = environment['CANOPY_TEST_PG_BIN']
  const folders =
    chosen === undefined ? [...(environment['PATH'] ?? '').split(delimiter), ...debianFolders()] : [chosen]
  return E.fromNullable(
    'PostgreSQL is not installed here: install the package postgresql (Debian, Ubuntu: apt-get install postgresql), ' +
      'or name the folder of initdb and postgres in CANOPY_TEST_PG_BIN',
  )(folders.find((folder) => ['initdb', 'postgres', 'createdb'].every((program) => existsSync(join(folder, program)))))
}

/** In CI it must be there. */
export const postgresIsTested = E.isRight(findPostgres(process.env)) || process.env['CI'] === 'true'

export type Postgres = Awaited<ReturnType<typeof startPostgres>>

/** PEM, for TLS. `clients` is an authority for certificates of clients. */
interface Certificate {
  readonly cert: string
  readonly key: string
  readonly clients: string
}

/** PostgreSQL refuses to run as root. */
const nobody = 65_534
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

const quick = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'autovacuum=off', 'shared_buffers=64MB']

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

/** The data of one server, and how to run programs on it. */
const newPlace = async (bin: string) => {
  const home = await mkdtemp(join(tmpdir(), 'canopy-postgres-'))
  if (identity.uid !== undefined) await chown(home, identity.uid, identity.gid)
  const options = { ...identity, env: { ...process.env, HOME: home, LC_ALL: 'C' }, cwd: home }
  const run = (program: string, ...words: ReadonlyArray<string>) =>
    promisify(execFile)(join(bin, program), words, options)
  return { bin, home, data: join(home, 'data'), options, run }
}

type Place = Awaited<ReturnType<typeof newPlace>>

/** The server and its children, which have process groups of their own. */
const processesOf = ({ pid = 0 }: ChildProcess): ReadonlyArray<number> => [
  pid,
  ...readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
]

const serve = async ({ bin, home, data, options }: Place, more: ReadonlyArray<string> = []) => {
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', ...quick, ...more].flatMap((setting) => ['-c', setting])
  const words = ['-D', data, '-p', String(port), '-k', home, ...settings]
  const start = async () => {
    const server = spawn(join(bin, 'postgres'), words, { ...options, stdio: ['ignore', 'ignore', 'pipe'] })
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
    /** Stops every process until `goOn`. */
    pause: () => signal('SIGSTOP'),
    goOn: () => signal('SIGCONT'),
    crash: () => running.end('SIGQUIT'),
    /** Starts it again at the same address, after a crash. */
    restart: async () => {
      running = await start()
    },
    stop: async () => {
      await running.end('SIGINT')
      await rm(home, { recursive: true, force: true })
    },
  }
}

/** Starts PostgreSQL in a temporary directory. Rejects if it is not installed. */
export const startPostgres = async ({ certificate }: { readonly certificate?: Certificate } = {}) => {
  const found = findPostgres(process.env)
  if (E.isLeft(found)) throw new Error(found.left)
  const place = await newPlace(found.right)
  const how = ['-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C']
  await place.run('initdb', '-D', place.data, '-U', 'postgres', ...how)
  if (certificate !== undefined)
    for (const [name, text] of [
      ['server.crt', certificate.cert],
      ['server.key', certificate.key],
      ['clients.crt', certificate.clients],
    ] as const) {
      const file = join(place.data, name)
      await writeFile(file, text, { mode: 0o600 })
      if (identity.uid !== undefined) await chown(file, identity.uid, identity.gid)
    }
  const server = await serve(place, certificate === undefined ? [] : ['ssl=on', 'ssl_ca_file=clients.crt'])
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${server.port}/${database}`
  const at = ['-h', '127.0.0.1', '-p', String(server.port), '-U', 'postgres']
  let databases = 0
  return {
    ...server,
    url: urlOf('postgres'),
    /** Returns the URL of an empty database. */
    newDatabase: async () => {
      databases += 1
      const name = `canopy_${databases}`
      await place.run('createdb', ...at, name)
      return urlOf(name)
    },
    /** Starts a hot standby. Stop it before this server. */
    newStandby: async () => {
      const copy = await newPlace(place.bin)
      const how = ['--write-recovery-conf', '--checkpoint=fast', '--no-sync']
      await copy.run('pg_basebackup', ...at, '-D', copy.data, ...how)
      const { port, stop } = await serve(copy)
      return { urlOf: (url: string) => Object.assign(new URL(url), { port: `${port}` }).href, stop }
    },
  }
}
