import { describe, expect, it } from 'vitest'
import type { Law } from '../../src/laws/Law.js'
import { memoryRegistry, type RegistryPorts, type SeedRegistry, type World } from '../../src/World.js'

/** Spoils a right registry; or spoils the world before a right registry is made of it. */
export interface Break {
  readonly world?: (world: World) => World
  readonly ports?: (ports: RegistryPorts, world: World) => RegistryPorts
}

const seedBroken =
  ({ world: spoil = (world) => world, ports = (right) => right }: Break): SeedRegistry =>
  async (world) => ({ ports: ports(memoryRegistry(spoil(world)), world), close: async () => {} })

/** For every law: the reference keeps it, and each of these registries breaks it. */
export const lawsCatch = (
  laws: ReadonlyArray<Law<SeedRegistry>>,
  broken: Readonly<Record<string, Readonly<Record<string, Break>>>>,
): void => {
  it('has broken registries beside every law', () => {
    expect(Object.keys(broken)).toEqual(laws.map(({ name }) => name))
    expect(Object.values(broken).map((registries) => Object.keys(registries).length)).not.toContain(0)
  })
  describe.each(laws)('$name', ({ name, violations }) => {
    it('holds in memory', async () => {
      expect(await violations(seedBroken({}))).toEqual([])
    })
    it.each(Object.entries(broken[name] ?? {}))('is broken by a registry that %s', async (_, spoilt) => {
      expect(await violations(seedBroken(spoilt))).not.toEqual([])
    })
  })
}
