import { accessLaws, type SeedRegistry, seedRegistry, settingsLaws, triggersLaws } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { openRegistryWriter } from '../../src/admin/RegistryWriter.js'
import { openRegistry } from '../../src/openRegistry.js'
import type { Running } from '../engines.js'
import { right } from '../right.js'

export const lawsHold = (running: () => Running): void => {
  const seeded: SeedRegistry = async (world) => {
    const url = await running().newRegistry()
    const writer = await right(openRegistryWriter(url))
    await right(seedRegistry(writer)(world))
    await writer.close()
    const registry = await right(openRegistry(url))
    return { ports: registry, close: registry.close }
  }

  describe('keeps the laws of its ports', () => {
    it.each([...accessLaws, ...settingsLaws, ...triggersLaws])('$name', async ({ violations }) => {
      expect(await violations(seeded)).toEqual([])
    })
  })
}
