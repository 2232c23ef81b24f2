import { fileURLToPath } from 'node:url'
import { freePort } from '@canopy/test-support'
import { firstAnswer } from './http.mjs'
import { outputOf, startProcess } from './processes.mjs'

const fileAt = (path) => fileURLToPath(new URL(path, import.meta.url))
const main = fileAt('../apps/server/dist/main.js')
const command = fileAt('../apps/admin/bin/canopy.js')

/** No variable of the one who runs the bench decides how the server is set up. */
const environment = (data, variables) => ({ PATH: process.env.PATH, CANOPY_DATA: data, ...variables })

/** The `canopy` command, as operators use it; gives what it says as JSON. */
export const canopy =
  (data, variables = {}) =>
  async (...parameters) =>
    JSON.parse(
      await outputOf(process.execPath, [command, ...parameters, '--json'], { env: environment(data, variables) }),
    )

/** An account with an area that everyone may see. */
export const createPublic = async (run, id, ...options) => {
  await run('account', 'create', '--id', id, '--verified', ...options)
  await run('visibility', 'set', id, '/', 'public')
}

/** The server, as operators start it: from the build, one process, a log of warnings, everything else by default. */
export const startCanopy = async (data, variables = {}, firstPath = '/healthz') => {
  const port = await freePort()
  const server = startProcess(process.execPath, [main], {
    env: environment(data, { CANOPY_PORT: String(port), CANOPY_LOG: 'warn', ...variables }),
  })
  await firstAnswer(server, port, firstPath)
  return { name: 'Canopy', port, ...server }
}
