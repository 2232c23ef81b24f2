import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { firstAnswer, freePort } from '../http.mjs'
import { startProcess } from '../processes.mjs'
import { found } from '../programs.mjs'

const configuration = ({ port, root }) => `
{
  admin off
  auto_https off
  log {
    output discard
  }
}
http://127.0.0.1:${port} {
  bind 127.0.0.1
  encode gzip
  root * ${root}
  file_server browse
}
`

/** Caddy, which lists the same directories as JSON for whoever accepts nothing else. */
export const startCaddy = async ({ directory, root, workers }) => {
  const program = found('caddy')
  if (program === undefined) return { name: 'Caddy', missing: 'not found: apt-get install caddy' }
  const port = await freePort()
  const home = join(directory, `caddy-${port}`)
  mkdirSync(home)
  const file = join(home, 'Caddyfile')
  writeFileSync(file, configuration({ port, root }))
  const server = startProcess(program, ['run', '--config', file, '--adapter', 'caddyfile'], {
    // It keeps its state below these. As many threads run Go code at once as we have processes.
    env: {
      PATH: process.env.PATH,
      HOME: home,
      XDG_DATA_HOME: home,
      XDG_CONFIG_HOME: home,
      GOMAXPROCS: String(workers),
    },
    stdio: 'ignore',
  })
  await firstAnswer(server, port, '/')
  return { name: 'Caddy', port, ...server }
}
