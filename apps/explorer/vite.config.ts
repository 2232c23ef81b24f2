import { defineConfig } from 'vite'

export default defineConfig({
  // The server may be behind a path prefix that it does not know: nothing has an absolute address.
  base: './',
  resolve: { conditions: ['canopy-source', 'module', 'browser'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    assetsDir: 'explorer',
    // The policy of the page allows no `data:` addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
})
