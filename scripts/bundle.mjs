// How the server and the command are bundled. Loading some eight hundred modules one by one takes longer than everything else
// that a start does.
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Removes the parts of an earlier bundle, which this one may not have. */
export const removeParts = () => {
  for (const name of readdirSync('dist')) if (/^main[.-]/.test(name)) rmSync(join('dist', name))
}

/** Options of rolldown. */
export const forNode = {
  logLevel: 'warn',
  platform: 'node',
  // The packages' sources and not their dist, so that the source maps name TypeScript files.
  resolve: {
    extensionAlias: { '.js': ['.ts', '.js'] },
    conditionNames: ['canopy-source', 'node', 'default'],
    // Modules can be bundled as one; what is CommonJS is looked up by name each time it is used.
    alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' },
  },
  // What brings binaries of its own.
  external: ['@photostructure/sqlite', 'pg-native'],
  // The code of others, as it is: depd evaluates a constant.
  checks: { eval: false },
  output: {
    dir: 'dist',
    sourcemap: true,
    entryFileNames: '[name].js',
    // The SDK of object stores is a file of its own, which is loaded only with such a store; its own name says nothing.
    chunkFileNames: ({ name }) => `main-${name === 'dist-cjs' ? 'awsSdk' : name}.js`,
  },
}
