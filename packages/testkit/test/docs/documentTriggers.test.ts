import { memoryRegistry, type SeedRegistry, triggersLaws } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { documentTriggers } from './documentTriggers.js'

/** Seeds valid triggers only. */
const seedTriggers: SeedRegistry = async (world) => {
  const valid = world.triggers.filter(({ state }) => state === 'valid')
  const document = JSON.stringify(valid.map(({ id, value }) => [id, value]))
  return {
    ports: { ...memoryRegistry(world), ...documentTriggers(async () => document) },
    close: async () => undefined,
  }
}

describe('trigger laws', () => {
  for (const { name, violations } of triggersLaws) {
    it(name, { timeout: 30_000 }, async () => {
      expect(await violations(seedTriggers)).toEqual([])
    })
  }
})
