import { availableParallelism } from 'node:os'
import { defaultExclude, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { yamlAsJson } from './apps/server/yamlAsJson.mjs'

// Tests import the sources of packages.
const conditions = ['canopy-source', 'node']

const { CANOPY_TEST, CANOPY_TEST_REPORT: report } = process.env

/** Start many processes in sequence, transfer much data, or wait long. Only `.ci/run` includes them. */
const slow = [
  'apps/explorer/test/explorer.test.ts',
  'apps/harness/test/manyServers.test.ts',
  'apps/harness/test/overObjects.test.ts',
  'apps/harness/test/run.test.ts',
  'apps/harness/test/wholeWay.test.ts',
  'apps/server/test/limits/unreadAnswers.test.ts',
  'apps/server/test/lifecycle/lostLogs.test.ts',
  'apps/server/test/lifecycle/workers.test.ts',
  'apps/server/test/manyServers.test.ts',
  'apps/server/test/openapi/clients.test.ts',
  'apps/server/test/registryFiles.test.ts',
  'apps/server/test/slowClientsOverEngines.test.ts',
  'packages/registry/test/manySettings.test.ts',
  'packages/storage-s3/test/brokenStores.test.ts',
  'test/tarballs.test.ts',
  'test/packages.test.ts',
]
const everyday = CANOPY_TEST === 'everyday'

const listSkipped = {
  onTestRunEnd: () =>
    console.log(`Not run: ${slow.join(', ')}, and properties at length. CANOPY_TEST=all npm test runs everything.\n`),
}

const json = (outputFile: string): ['json', { outputFile: string }] => ['json', { outputFile }]

/** Take long, but `npm test` includes them. */
const long = [
  'packages/registry/test/registry.test.ts',
  'apps/server/test/networkStorage.test.ts',
  'apps/server/test/lifecycle/operations.test.ts',
  'apps/server/test/objects.test.ts',
  'apps/server/test/faults.test.ts',
  'apps/server/test/slowClients.test.ts',
  'packages/storage-fs/test/fsStorage.test.ts',
  'packages/storage-s3/test/s3Storage.test.ts',
]

const isLong = ({ moduleId }: TestSpecification): boolean => [...slow, ...long].some((file) => moduleId.endsWith(file))

/** Otherwise a single long file would run alone at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: Array<TestSpecification>): Promise<Array<TestSpecification>> {
    const sorted = await super.sort(files)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}

export default defineConfig({
  plugins: [yamlAsJson],
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    // Builds for the tests that run `dist` in another process.
    globalSetup: 'scripts/build.mjs',
    include: ['{packages,apps}/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...defaultExclude, ...(everyday ? slow : [])],
    sequence: { sequencer: LongestFirst },
    // Tolerates a busy machine.
    expect: { poll: { timeout: 60_000 } },
    // Loading all modules for each file takes longer than the tests. Tests share no mutable state.
    isolate: false,
    // A file without its engine has no tests and prints a warning. CI requires all engines.
    passWithNoTests: process.env['CI'] !== 'true',
    // Many tests mostly wait for a process.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // Generous, because tests share two cores with the processes that they start.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    reporters: ['default', ...(everyday ? [listSkipped] : []), ...(report === undefined ? [] : [json(report)])],
  },
})
