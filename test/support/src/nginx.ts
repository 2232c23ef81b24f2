import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answered, type Environment, programAt, startDaemon } from './daemon.js'
import { freePort } from './freePort.js'

export const findNginx = (environment: Environment): string | undefined => programAt('nginx', environment)

/** In CI it must be there. */
export const nginxIsTested = findNginx(process.env) !== undefined || process.env['CI'] === 'true'

export type Nginx = Awaited<ReturnType<typeof startNginx>>

/** Starts nginx with this text in the block `http`. */
export const startNginx = async (http: (port: number) => string) => {
  const program = findNginx(process.env)
  if (program === undefined) throw new Error('nginx is not installed here: apt-get install nginx')
  const [home, port] = [await mkdtemp(join(tmpdir(), 'canopy-nginx-')), await freePort()]
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${of};`)
  const configuration = `
    daemon off;
    ${process.getuid?.() === 0 ? 'user root;' : ''}
    pid nginx.pid;
    events { worker_connections 1024; }
    http {
      ${temporary.join(' ')}
      ${http(port)}
    }
  `
  await writeFile(join(home, 'nginx.conf'), configuration)
  const daemon = startDaemon(program, ['-p', home, '-c', 'nginx.conf', '-e', 'stderr'])
  await answered(`http://127.0.0.1:${port}/`, [daemon])
  return {
    pid: daemon.pid,
    port,
    stop: async () => {
      await daemon.stop()
      await rm(home, { recursive: true })
    },
  }
}
