// Bundles the server and the command: loading some eight hundred modules one by one would take most of the start.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** The new bundle may consist of other files than the last one. */
export const removeParts = () => {
  for (const name of readdirSync('dist')) if (/^main[.-]/.test(name)) rmSync(join('dist', name))
}

/** Options of rolldown. */
export const forNode = {
  logLevel: 'warn',
  platform: 'node',
  // Bundles the sources of packages, so that source maps name TypeScript files.
  resolve: {
    extensionAlias: { '.js': ['.ts', '.js'] },
    conditionNames: ['canopy-source', 'node', 'default'],
    // ES modules become one scope; an export of a CommonJS module costs a lookup on every use.
    alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' },
  },
  // Have their own binaries.
  external: ['@photostructure/sqlite', 'pg-native'],
  // depd, a dependency, evaluates a constant.
  checks: { eval: false },
  output: {
    dir: 'dist',
    sourcemap: true,
    entryFileNames: '[name].js',
    // The SDK of object stores loads only with such a store. Its default name would be `dist-cjs`.
    chunkFileNames: ({ name }) => `main-${name === 'dist-cjs' ? 'awsSdk' : name}.js`,
  },
}
