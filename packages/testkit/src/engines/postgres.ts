import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import { findPostgres } from './findPostgres.js'
import { freePort } from './freePort.js'

const run = promisify(execFile)

export interface Postgres {
  /** Of the server's own database, as its superuser. */
  readonly url: string
  /** Makes an empty database and gives its URL. */
  readonly newDatabase: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** PostgreSQL refuses to run as root; then it runs as nobody. */
const nobody = 65_534
const identity = process.getuid?.() === 0 ? { uid: nobody, gid: nobody } : {}

// No crash is survived here, so nothing is waited for.
const quick = ['fsync=off', 'synchronous_commit=off', 'full_page_writes=off', 'shared_buffers=64MB']

const environment = (home: string) => ({ ...process.env, HOME: home, LC_ALL: 'C' })

const ready = (server: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    const said: string[] = []
    server.stderr?.on('data', (text: Buffer) => {
      said.push(text.toString())
      if (said.join('').includes('ready to accept connections')) resolve()
    })
    server.once('error', reject)
    server.once('exit', () => reject(new Error(`PostgreSQL did not start:\n${said.join('')}`)))
  })

/**
 * A PostgreSQL of its own, in a temporary directory and on a free port of the loopback interface. Rejects, saying what
 * to install, where there is none.
 */
export const startPostgres = async (): Promise<Postgres> => {
  const bin = await pipe(
    findPostgres(process.env),
    E.match(
      (message) => Promise.reject(new Error(message)),
      (folder) => Promise.resolve(folder),
    ),
  )
  const home = await mkdtemp(join(tmpdir(), 'canopy-postgres-'))
  const options = { ...identity, env: environment(home), cwd: home }
  if (identity.uid !== undefined) await chown(home, identity.uid, identity.gid)
  const data = join(home, 'data')
  await run(
    join(bin, 'initdb'),
    ['-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync', '-E', 'UTF8', '--locale=C'],
    options,
  )
  const port = await freePort()
  const settings = ['listen_addresses=127.0.0.1', ...quick].flatMap((setting) => ['-c', setting])
  const server = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), '-k', home, ...settings], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const exited = once(server, 'exit')
  // The server of a test run that ends early must not stay behind.
  const kill = () => server.kill('SIGQUIT')
  process.once('exit', kill)
  await ready(server)
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  const made = { databases: 0 }
  return {
    url: urlOf('postgres'),
    newDatabase: async () => {
      made.databases += 1
      const name = `canopy_${made.databases}`
      await run(join(bin, 'createdb'), ['-h', '127.0.0.1', '-p', String(port), '-U', 'postgres', name], options)
      return urlOf(name)
    },
    stop: async () => {
      server.kill('SIGINT')
      await exited
      process.off('exit', kill)
      await rm(home, { recursive: true, force: true })
    },
  }
}
