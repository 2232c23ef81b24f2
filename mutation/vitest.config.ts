import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vitest/config'
import { yamlAsJson } from '../apps/server/yamlAsJson.mjs'

const conditions = ['canopy-source', 'node']
const root = fileURLToPath(new URL('..', import.meta.url))

/** Only the testkit turns trees into lines, so there it meets the mutants of the domain. */
const mutatedLines: Plugin = {
  name: 'mutated-lines',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id === '@canopy/domain' && importer?.endsWith('/collectLines.ts')
      ? `${root}packages/domain/src/index.ts`
      : undefined,
}

export default defineConfig({
  root,
  plugins: [yamlAsJson, mutatedLines],
  // As everywhere: a package meets its neighbours by their sources. Here those of the checkout, which hold no mutants,
  // so that the arbitraries of the testkit stay right while the domain is wrong.
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: [
      'packages/domain/test/**/*.test.ts',
      'packages/http/test/**/*.test.ts',
      'packages/installation/test/**/*.test.ts',
      'packages/registry/test/RegistryUrl.test.ts',
      'packages/registry/test/rows.test.ts',
      'packages/storage-fs/test/{StorageRoot,resolve/decode,resolve/errno}.test.ts',
      'apps/server/test/limits/failedLookups.test.ts',
      'apps/server/test/observe/log.test.ts',
    ],
    // Slow, and right about the whole where a mutant is one place: the tests of each file must find it themselves; or about
    // the text of sources, which hold all mutants at once.
    exclude: ['packages/domain/test/{nonInterference,purity,readme}.test.ts'],
    setupFiles: ['mutation/setUp.mjs'],
    runner: 'mutation/runner.mjs',
    isolate: false,
  },
})
