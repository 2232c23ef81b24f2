import { storesToTest } from '@canopy/test-support'
import { fixture } from '@canopy/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { startApp } from '../../server/test/startApp.js'
import { type BackendName, backends, seedWorld } from '../src/backends.js'
import { profiles } from '../src/conformance.js'
import { spawned } from './harnessIn.js'

const stores = storesToTest(process.env, 'Conformance over an object store')

it.each(stores)('conformance passes over $name', async ({ name }) => {
  const adapters = await backends[name.toLowerCase() as BackendName].open()
  onTestFinished(adapters.close)
  const seeded = await seedWorld(adapters)(fixture(true))
  onTestFinished(seeded.close)
  const { port, stop } = await startApp(seeded.ports, { files: { maxDownloads: 10 } })
  onTestFinished(async () => void (await stop()))
  // No object store has keys of this length.
  const options = ['--exact', '--every-u64', '--skip', 'a path of 4,095 bytes is found', '--profile', ...profiles]
  const { stdout, exit } = await spawned(['conformance', `http://127.0.0.1:${port}`, ...options])
  expect(stdout).toMatch(/\nfiles +[0-9]+ passed\n\n[\s\S]*\n\nPASSED: [0-9]+ passed, 1 not run\n$/)
  expect(exit).toBe(0)
})
