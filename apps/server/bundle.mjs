// Makes dist/main.js: the whole server in a few files. Loading some eight hundred modules one by one takes longer than
// everything else a start does.
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'rolldown'
import { moduleOf, yamlAsJson } from './yamlAsJson.mjs'

const asModules = /^(fp-ts|io-ts)(?:\/lib(?=\/)|$)/

/** What a package exports as CommonJS is looked up by name each time it is used, on every hot path; these have modules too. */
const modulesFirst = {
  name: 'modules-first',
  resolveId: {
    filter: { id: asModules },
    handler(id, importer) {
      const module = id.replace(asModules, '$1/es6')
      return this.resolve(id.includes('/') ? module : `${module}/index.js`, importer, { skipSelf: true })
    },
  },
}

const noExemplars = fileURLToPath(new URL('prom-client/openTelemetryApi.mjs', import.meta.url))

/** prom-client would load OpenTelemetry wherever metrics are on, also where nobody wants traces. To all others it is external. */
const withoutExemplars = {
  name: 'without-exemplars',
  resolveId: {
    filter: { id: /^@opentelemetry\/api$/ },
    handler: (_, importer) =>
      importer?.includes('/prom-client/') ? noExemplars : { id: '@opentelemetry/api', external: true },
  },
}

// Parts that an earlier bundle had and this one does not.
for (const name of readdirSync('dist')) if (/^main[.-]/.test(name)) rmSync(join('dist', name))

// Beside what tsc made, for those who use the rooms of the server one by one.
writeFileSync('dist/openapi/openapi.yaml.js', moduleOf('src/openapi/openapi.yaml'))

// The web page, which turbo builds first.
rmSync('dist/explorer', { recursive: true, force: true })
cpSync('../explorer/dist', 'dist/explorer', { recursive: true })

await build({
  input: { main: 'src/main.ts', reader: '../../packages/storage-fs/src/reader.mjs' },
  logLevel: 'warn',
  platform: 'node',
  // The packages' sources and not their dist, so that the source maps name TypeScript files.
  resolve: { extensionAlias: { '.js': ['.ts', '.js'] }, conditionNames: ['canopy-source', 'node', 'default'] },
  plugins: [modulesFirst, withoutExemplars, yamlAsJson],
  // What brings binaries or files of its own, and what is loaded only where it is switched on. A plugin is not asked for these.
  external: ['@photostructure/sqlite', /^@opentelemetry\/(?!api$)/, 'pg-native', 'pino', 'swagger-ui-dist'],
  // The code of others, as it is: depd evaluates a constant.
  checks: { eval: false },
  output: {
    dir: 'dist',
    sourcemap: true,
    // The reader is found by its name, beside whichever file holds the code that starts it.
    entryFileNames: ({ name }) => (name === 'main' ? 'main.js' : `${name}.mjs`),
    chunkFileNames: 'main-[name].js',
  },
})
