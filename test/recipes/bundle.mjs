// fp-ts' ES modules take a quarter of the bytes of its CommonJS: `node bundle.mjs edge.ts edge.js`
import { build } from 'esbuild'

const [entry, outfile] = process.argv.slice(2)
await build({
  entryPoints: [entry],
  outfile,
  bundle: true,
  minify: true,
  format: 'esm',
  alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' },
})
