import { coreBackend, memoryRegistry, type Scenario, scenarios } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
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

const canBeAsked = ({ memoryOnly }: Scenario) => backend.holdsEveryU64 || memoryOnly !== true

describe('the service over documents', () => {
  for (const { name, world, ask, answer } of scenarios.filter(canBeAsked)) {
    it(name, async () => {
      const opened = await backend.open(world)
      try {
        expect(await opened.ask(ask)).toEqual(answer)
      } finally {
        await opened.close()
      }
    })
  }
})
