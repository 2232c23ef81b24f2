// Makes dist/main.js: the whole server in a few files. Loading some eight hundred modules one by one takes longer than
// everything else a start does.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { moduleOf, yamlAsJson } from './yamlAsJson.mjs'

// Parts that an earlier bundle had and this one does not.
for (const name of readdirSync('dist')) if (/^main[.-]/.test(name)) rmSync(join('dist', name))

// Beside what tsc made, for those who use the rooms of the server one by one.
mkdirSync('dist/openapi', { recursive: true })
writeFileSync('dist/openapi/openapi.yaml.js', moduleOf('src/openapi/openapi.yaml'))

// The web pages, which turbo builds first, with what compresses them as hard as it goes.
rmSync('dist/web', { recursive: true, force: true })
cpSync('../explorer/dist', 'dist/web', { recursive: true })
for (const name of readdirSync('dist/web/assets')) {
  const file = join('dist/web/assets', name)
  const bytes = readFileSync(file)
  writeFileSync(`${file}.br`, brotliCompressSync(bytes))
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }))
}

await build({
  // The pool of readers finds its own file and ours by their places.
  input: {
    main: 'src/main.ts',
    reader: '../../packages/storage-fs/src/reader.ts',
    'entry/process': '../../packages/storage-fs/node_modules/tinypool/dist/entry/process.js',
  },
  logLevel: 'warn',
  platform: 'node',
  // The packages' sources and not their dist, so that the source maps name TypeScript files.
  resolve: {
    extensionAlias: { '.js': ['.ts', '.js'] },
    conditionNames: ['canopy-source', 'node', 'default'],
    // Modules can be bundled as one; what is CommonJS is looked up by name each time it is used.
    alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' },
  },
  plugins: [yamlAsJson],
  // What brings binaries or files of its own, and what is loaded only where it is switched on.
  external: ['@photostructure/sqlite', /^@opentelemetry\//, 'pg-native', 'pino'],
  // The code of others, as it is: depd evaluates a constant.
  checks: { eval: false },
  output: {
    dir: 'dist',
    sourcemap: true,
    entryFileNames: '[name].js',
    // The SDK of object stores is a file of its own, which is loaded only with such a store; its own name says nothing.
    chunkFileNames: ({ name }) => `main-${name === 'dist-cjs' ? 'awsSdk' : name}.js`,
  },
})
