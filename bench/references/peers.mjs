import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort, programAt } from '@canopy/test-support'
import { firstAnswer } from '../http.mjs'
import { startProcess } from '../processes.mjs'
import { startAutoindex } from './nginx.mjs'

const pathOf = (size) => `/e${size}/`

const missing = (name, install) => ({ name, missing: `not found: ${install}` })

/** Writes the configuration of a server into a directory of its own, and starts it there. */
const startAt = async (directory, [program, ...parameters], file, configuration) => {
  const port = await freePort()
  mkdirSync(directory)
  writeFileSync(join(directory, file), configuration(port))
  const env = { PATH: process.env.PATH, HOME: directory, XDG_DATA_HOME: directory, XDG_CONFIG_HOME: directory }
  const server = startProcess(program, parameters, { cwd: directory, env })
  await firstAnswer(server, port, '/')
  return { port, ...server }
}

const caddyfile = (root) => (port) =>
  `{
  admin off
  auto_https off
  log {
    output discard
  }
}
http://127.0.0.1:${port} {
  root * ${root}
  file_server browse
}
`

const startCaddy = async (root, directory) => {
  const program = programAt('caddy', process.env)
  if (program === undefined) return missing('Caddy', 'apt-get install caddy')
  const command = [program, 'run', '--config', 'Caddyfile', '--adapter', 'caddyfile']
  const server = await startAt(join(directory, 'caddy'), command, 'Caddyfile', caddyfile(root))
  return { name: 'Caddy', ...server, pathOf, headers: { Accept: 'application/json' } }
}

const hfsConfig = (root) => (port) =>
  `port: ${port}
https_port: -1
listen_interface: 127.0.0.1
open_browser_at_start: false
auto_check_update: false
log: ''
error_log: ''
vfs:
  source: ${root}
`

const itemsIn = ({ list }) => list.map(({ n }) => ({ name: n }))

const startHfs = async (root, directory) => {
  const program = programAt('hfs', process.env)
  if (program === undefined) return missing('HFS', 'npm install --global hfs')
  const server = await startAt(join(directory, 'hfs'), [program, '--cwd', '.'], 'config.yaml', hfsConfig(root))
  return { name: 'HFS', ...server, pathOf: (size) => `/~/api/get_file_list?uri=/e${size}/`, itemsIn }
}

const startNginx = async (root) => {
  const server = await startAutoindex(root)
  return { ...server, pathOf }
}

/** Other programs that list the directories below `root` as JSON, as they are installed. */
export const peersOf = (root, directory) => [
  () => startNginx(root),
  () => startCaddy(root, directory),
  () => startHfs(root, directory),
]
