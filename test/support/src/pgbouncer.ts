import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { programAt, startDaemon, until } from './daemon.js'
import { freePort } from './freePort.js'

const program = programAt('pgbouncer', process.env)

/** In CI it must be there. */
export const pgbouncerIsTested = program !== undefined || process.env['CI'] === 'true'

export type Pgbouncer = Awaited<ReturnType<typeof startPgbouncer>>

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** The roles need no password. */
export const startPgbouncer = async (url: string, mode: 'session' | 'transaction', roles: ReadonlyArray<string>) => {
  if (program === undefined) throw new Error('PgBouncer is not installed here: apt-get install pgbouncer')
  const home = await mkdtemp(join(tmpdir(), 'canopy-pgbouncer-'))
  // PgBouncer drops root, and must be able to read this.
  await chmod(home, 0o755)
  const [port, file] = [await freePort(), join(home, 'pgbouncer.ini')]
  await writeFile(join(home, 'roles'), roles.map((role) => `"${role}" ""\n`).join(''))
  const lines = [
    '[databases]',
    `* = host=127.0.0.1 port=${new URL(url).port}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = trust',
    `auth_file = ${join(home, 'roles')}`,
    `pool_mode = ${mode}`,
    // Fewer connections than a server opens.
    `default_pool_size = ${mode === 'transaction' ? 4 : 30}`,
    'server_login_retry = 1',
    // Each test has databases of its own.
    'server_idle_timeout = 1',
  ]
  await writeFile(file, `${lines.join('\n')}\n`)
  const daemon = startDaemon(program, [...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file])
  await until(() => accepts(port), [daemon])
  return {
    urlOf: (there: string) => Object.assign(new URL(there), { port: String(port) }).href,
    stop: async () => {
      await daemon.stop()
      await rm(home, { recursive: true })
    },
  }
}
