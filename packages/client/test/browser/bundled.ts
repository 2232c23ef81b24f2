import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

export interface Bundle {
  readonly code: string
  /** The bundled files. */
  readonly modules: ReadonlyArray<string>
}

/** Bundles a file of this directory and its imports, minified for browsers. */
export const bundled = async (file: string): Promise<Bundle> => {
  const input = fileURLToPath(new URL(file, import.meta.url))
  const build = await rolldown({ input, platform: 'browser', resolve: { conditionNames: ['canopy-source', 'import'] } })
  const { output } = await build.generate({ format: 'esm', minify: true })
  await build.close()
  const [{ code, moduleIds }, ...others] = output
  if (others.length > 0) throw new Error('expected one file')
  return { code, modules: moduleIds }
}
