import { join } from 'node:path'
import { cachedListings, changeEvents, fsStorage, StorageRoot } from '@canopy/storage-fs'
import {
  beforeChanges,
  keepAliveConnection,
  type ListedFile,
  runs,
  staleAnswers,
  temporaryDirectory,
  worldWith,
} from '@canopy/test-support'
import { memoryRegistry, seedDirectory } from '@canopy/testkit'
import { expect, it, onTestFinished } from 'vitest'
import { servedApps, steadyPorts } from '../inProcess.js'
import { right } from '../startApp.js'

const answers = runs(10_000, 1_000_000)
const serve = servedApps()

const filesIn = (body: string): ReadonlyArray<ListedFile> =>
  JSON.parse(body).content.map(({ name, size, last_modified }: Record<'name' | 'size' | 'last_modified', string>) => ({
    name,
    size: BigInt(size),
    last_modified: BigInt(last_modified),
  }))

it(`${answers} listings beside a writer are states between request and answer`, { timeout: 3_600_000 }, async () => {
  const world = worldWith()
  const home = temporaryDirectory(onTestFinished)
  await seedDirectory(join(home, '1'), beforeChanges)
  const root = right(StorageRoot.fromText('/')(`file:${home}`))
  const storage = cachedListings(fsStorage(root), changeEvents(root), 1 << 24)
  const { port } = await serve({ ...memoryRegistry(world), ...steadyPorts(world).ports, ...storage })
  const connections = await Promise.all(Array.from({ length: 64 }, () => keepAliveConnection(port)))
  const ask = connections.map(({ send }) => async () => {
    const [answer] = await send([{ method: 'GET', target: '/api/usercontent/v1/diritems/id/1' }])
    return filesIn(String(answer?.body))
  })
  const { violations, steps } = await staleAnswers(join(home, '1'), { ask, answers })
  for (const { close } of connections) close()
  expect(violations.slice(0, 3)).toEqual([])
  expect(steps).toBeGreaterThan(answers / 200)
})
