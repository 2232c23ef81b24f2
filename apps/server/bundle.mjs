// Makes dist/main.js, the whole server in a few files, and what it serves.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build } from 'rolldown'
import { forNode, removeParts } from '../../scripts/bundle.mjs'
import { moduleOf, yamlAsJson } from './yamlAsJson.mjs'

removeParts()

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
  // A reader process runs a file of its own.
  input: {
    main: 'src/main.ts',
    reader: '../../packages/storage-fs/src/reader.ts',
  },
  ...forNode,
  plugins: [yamlAsJson],
})
