import { defineConfig } from 'vite'

export default defineConfig({
  // Relative, because a proxy may add a path prefix.
  base: './',
  resolve: {
    conditions: ['canopy-source', 'module', 'browser'],
    // Tree shaking needs ES modules.
    alias: { 'fp-ts/lib': 'fp-ts/es6', 'io-ts': 'io-ts/es6/index.js' },
  },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    rolldownOptions: { input: ['index.html', 'docs.html'] },
    // The Content-Security-Policy forbids `data:` URLs.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
