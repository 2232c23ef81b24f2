import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { yamlAsJson } from './apps/server/yamlAsJson.mjs'

// Packages are tested from their sources, so that a test never meets a stale build.
const conditions = ['canopy-source', 'node']

const report = process.env['CANOPY_TEST_REPORT']

export default defineConfig({
  plugins: [yamlAsJson],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ['{packages,apps}/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    // One module graph for all: loading it anew for each file costs more than all the tests. Tests share no mutable state.
    isolate: false,
    // Many tests wait for a process more than they work.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Tests that start processes share two cores with everything else.
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: report === undefined ? ['default'] : ['default', ['json', { outputFile: report }]],
  },
})
