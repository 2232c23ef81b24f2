import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** Where the tools are that others use on what Canopy ships: a project with a lockfile of its own. */
export const consumers = (): string => {
  const directory = fileURLToPath(new URL('../../consumers', import.meta.url))
  if (!existsSync(`${directory}/node_modules`)) throw new Error('Run `CANOPY_TEST=all npm run setup` first.')
  return directory
}
