import { readFileSync } from 'node:fs'
import { defineConfig, type Plugin } from 'vite'

const skeleton = 'src/style/skeleton.css'

/** Lets only the styles of the skeleton delay the first paint. `main.tsx` applies the others, which load beside it. */
const skeletonFirst: Plugin = {
  name: 'skeleton-first',
  buildStart() {
    this.emitFile({ type: 'asset', name: 'skeleton.css', source: readFileSync(skeleton, 'utf8') })
  },
  transformIndexHtml: {
    order: 'post',
    handler: (html, { filename, bundle = {} }) => {
      if (!filename.endsWith('index.html')) return html
      const file = Object.keys(bundle).find((name) => /skeleton-.*\.css$/.test(name))
      if (file === undefined) return html
      return html.replace(
        '<link rel="stylesheet" crossorigin',
        `<link rel="stylesheet" href="./${file}">\n  <link rel="preload" as="style" crossorigin`,
      )
    },
  },
}

export default defineConfig({
  // Relative, because a proxy may add a path prefix.
  base: './',
  plugins: [skeletonFirst],
  resolve: {
    conditions: ['canopy-source', 'module', 'browser'],
    // Tree shaking needs ES modules.
    alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    rolldownOptions: {
      input: ['index.html', 'docs.html'],
      // One chunk of modules that both pages load first. A chunk under 1 KB would not be compressed.
      output: { codeSplitting: { groups: [{ name: 'base', test: /preact|src\/(credentials|messages|preferences)/ }] } },
    },
    // The Content-Security-Policy forbids `data:` URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
