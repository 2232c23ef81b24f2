import { memoryRegistry, type SeedRegistry, triggersLaws } from '@canopy/testkit'
import { expect, it } from 'vitest'
import { documentTriggers } from './documentTriggers.js'

const seedTriggers: SeedRegistry = async (world) => {
  const valid = world.triggers.filter(({ state }) => state === 'valid')
  const document = JSON.stringify(valid.map(({ id, value }) => [id, value]))
  return {
    ports: { ...memoryRegistry(world), ...documentTriggers(async () => document) },
    close: async () => undefined,
  }
}

it.each(triggersLaws)('triggers in a document keep the law: $name', { timeout: 30_000 }, async ({ violations }) => {
  expect(await violations(seedTriggers)).toEqual([])
})
