import { defineConfig } from 'vite'

export default defineConfig({
  // The server may be behind a path prefix that it does not know: nothing has an absolute address.
  base: './',
  resolve: {
    conditions: ['canopy-source', 'module', 'browser'],
    // Only modules can be cut down to what is used.
    alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    rolldownOptions: { input: ['index.html', 'docs.html'] },
    // The policy of the page allows no `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
