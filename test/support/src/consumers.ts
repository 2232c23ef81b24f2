import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The separate project of tools that use the packages. */
export const consumers = (): string => {
  const directory = fileURLToPath(new URL('../../consumers', import.meta.url))
  if (!existsSync(`${directory}/node_modules`)) throw new Error('Run `CANOPY_TEST=all npm run setup` first.')
  return directory
}
