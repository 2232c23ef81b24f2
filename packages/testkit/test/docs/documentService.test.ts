import { coreBackend, memoryRegistry, scenarios } from '@canopy/testkit'
import { expect, it } from 'vitest'
import { documentStorage } from './documentStorage.js'
import { documentOf } from './seedDocument.js'

const backend = coreBackend('documents', false, async (world) => {
  const areas = new Map(world.accounts.map(({ id, area }) => [id, area]))
  return {
    ports: {
      ...memoryRegistry(world),
      ...documentStorage(async (location) => documentOf(areas.get(location) ?? 'missing')),
    },
    close: async () => undefined,
  }
})

const asked = scenarios.filter(({ memoryOnly }) => backend.holdsEveryU64 || memoryOnly !== true)

it.each(asked)('the service over documents: $name', async ({ world, ask, answer }) => {
  const opened = await backend.open(world)
  try {
    expect(await opened.ask(ask)).toEqual(answer)
  } finally {
    await opened.close()
  }
})
