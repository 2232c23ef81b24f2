import { fileURLToPath } from 'node:url'
import { build, defaultClientConditions } from 'vite'

type Aliases = Readonly<Record<string, string>>

/** The page's script with the client in it, from sources, as a team would bundle it. */
export const bundled = async (alias: Aliases = {}): Promise<string> => {
  const output = await build({
    configFile: false,
    logLevel: 'error',
    resolve: { alias, conditions: ['canopy-source', ...defaultClientConditions] },
    build: {
      write: false,
      target: 'es2022',
      lib: { entry: fileURLToPath(new URL('./page.ts', import.meta.url)), formats: ['es'], fileName: 'page' },
    },
  })
  if (!Array.isArray(output)) throw new Error('expected one build')
  const [chunk, ...others] = output.flatMap((each) => each.output)
  if (chunk?.type !== 'chunk' || others.length > 0) throw new Error('expected one file')
  return chunk.code
}
