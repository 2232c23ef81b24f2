import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

export interface Bundle {
  readonly code: string
  /** The files that it is made of. */
  readonly modules: ReadonlyArray<string>
}

/** A file of this directory in one minified file for browsers, from sources, as a team would bundle it. */
export const bundled = async (file: string): Promise<Bundle> => {
  const input = fileURLToPath(new URL(file, import.meta.url))
  const build = await rolldown({ input, platform: 'browser', resolve: { conditionNames: ['canopy-source', 'import'] } })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  const [{ code, moduleIds }, ...others] = output
  if (others.length > 0) throw new Error('expected one file')
  return { code, modules: moduleIds }
}
