import { expect, it, onTestFinished, vi } from 'vitest'
import { accessLaws } from '../../src/laws/accessLaws.js'
import { settingsLaws, triggersLaws } from '../../src/laws/registryLaws.js'
import { storageLaws } from '../../src/laws/storageLaws.js'
import { memoryRegistry } from '../../src/memoryPorts.js'
import type { SeedRegistry } from '../../src/World.js'
import { seedBroken } from './brokenStorage.js'

const never = () => () => new Promise<never>(() => undefined)
const silentStorage = seedBroken(() => ({ nodeAt: never, list: never }))
const silentPorts = { areaOfToken: never, areaOfUser: never, settingsOf: never, triggerOf: never }
const silentRegistry: SeedRegistry = async () => ({ ports: silentPorts, close: async () => {} })
const rightRegistry: SeedRegistry = async (world) => ({ ports: memoryRegistry(world), close: async () => {} })

const laws = [
  ...storageLaws.map(({ violations }) => [() => violations(silentStorage), () => violations(seedBroken())] as const),
  ...[...accessLaws, ...settingsLaws, ...triggersLaws].map(
    ({ violations }) => [() => violations(silentRegistry), () => violations(rightRegistry)] as const,
  ),
]

it('a law waits 5 s for a port that never answers, and leaves no timer', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  for (const [ofSilent, ofRight] of laws) {
    const violations = ofSilent()
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await Promise.race([violations, Promise.resolve('still waits')])).toEqual([
      expect.stringMatching(/^(nodeAt|list|\w+Of|areaOf\w+) .* must answer, and had not after 5 s$/),
    ])
    vi.clearAllTimers()
    await ofRight()
    expect(vi.getTimerCount()).toBe(0)
  }
})
