import { availableParallelism } from 'node:os'
import { defaultExclude, defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { yamlAsJson } from './apps/server/yamlAsJson.mjs'

// Packages are tested from their sources, without a build.
const conditions = ['canopy-source', 'node']

const { CANOPY_TEST, CANOPY_TEST_REPORT: report } = process.env

/** Each starts many processes, one after the other, moves much, or waits long. `npm test` leaves them out, and says so; `.ci/run` does not. */
const slow = [
  'apps/explorer/test/explorer.test.ts',
  'apps/harness/test/manyServers.test.ts',
  'apps/harness/test/overObjects.test.ts',
  'apps/harness/test/run.test.ts',
  'apps/harness/test/wholeWay.test.ts',
  'apps/server/test/limits/unreadAnswers.test.ts',
  'apps/server/test/lifecycle/lostLogs.test.ts',
  'apps/server/test/lifecycle/restarts.test.ts',
  'apps/server/test/lifecycle/workers.test.ts',
  'apps/server/test/manyServers.test.ts',
  'apps/server/test/openapi/clients.test.ts',
  'apps/server/test/registryFiles.test.ts',
  'apps/server/test/slowClientsOverEngines.test.ts',
  'packages/registry/test/manySettings.test.ts',
  'packages/storage-s3/test/brokenStores.test.ts',
  'test/packages.test.ts',
]
const everyday = CANOPY_TEST === 'everyday'

const tellWhatIsLeftOut = {
  onTestRunEnd: () =>
    console.log(`Not run: ${slow.join(', ')}, and properties at length. CANOPY_TEST=all npm test runs everything.\n`),
}

const json = (outputFile: string): ['json', { outputFile: string }] => ['json', { outputFile }]

/** What takes long and is not slow enough to be left out. */
const long = [
  'packages/registry/test/registry.test.ts',
  'apps/server/test/networkStorage.test.ts',
  'apps/server/test/lifecycle/operations.test.ts',
  'apps/server/test/objects.test.ts',
  'apps/server/test/faults.test.ts',
  'apps/server/test/slowClients.test.ts',
  'packages/storage-fs/test/read/fsStorage.test.ts',
  'packages/storage-s3/test/s3Storage.test.ts',
]

const isLong = ({ moduleId }: TestSpecification): boolean => [...slow, ...long].some((file) => moduleId.endsWith(file))

/** Otherwise the last minute is one long file alone. */
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
    // Some tests run `dist` in another process.
    globalSetup: 'scripts/build.mjs',
    include: ['{packages,apps}/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: [...defaultExclude, ...(everyday ? slow : [])],
    sequence: { sequencer: LongestFirst },
    // A busy machine is late, not wrong.
    expect: { poll: { timeout: 60_000 } },
    // One module graph for all: loading it anew for each file costs more than all the tests. Tests share no mutable state.
    isolate: false,
    // A file whose engine is not installed has no tests, and says so; in CI all engines must be there.
    passWithNoTests: process.env['CI'] !== 'true',
    // Many tests wait for a process more than they work.
    maxWorkers: Math.max(4, availableParallelism() - 1),
    // Only for what hangs: tests that start processes share two cores with everything else.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    reporters: ['default', ...(everyday ? [tellWhatIsLeftOut] : []), ...(report === undefined ? [] : [json(report)])],
  },
})
