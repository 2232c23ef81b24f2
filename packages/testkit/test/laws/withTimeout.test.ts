import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accessLaws } from '../../src/laws/accessLaws.js'
import type { Law } from '../../src/laws/Law.js'
import { settingsLaws, triggersLaws } from '../../src/laws/registryLaws.js'
import { storageLaws } from '../../src/laws/storageLaws.js'
import { memoryRegistry } from '../../src/memoryPorts.js'
import type { SeedRegistry } from '../../src/World.js'
import { seedBroken } from './brokenStorage.js'

const never = () => () => new Promise<never>(() => undefined)

const silent: SeedRegistry = async () => ({
  ports: { areaOfToken: never, areaOfUser: never, settingsOf: never, triggerOf: never },
  close: async () => {},
})

/** The violations that a law reports within this time. */
const violationsWithin = async <Subject>(ms: number, law: Law<Subject> | undefined, subject: Subject) => {
  const violations = law?.violations(subject)
  await vi.advanceTimersByTimeAsync(ms)
  return Promise.race([violations, Promise.resolve('nothing yet')])
}

describe('of a port that never answers', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  const ofRegistry = [...accessLaws, ...settingsLaws, ...triggersLaws]

  it('no law waits longer, and no timer is left', async () => {
    const violations = [expect.stringMatching(/^(nodeAt|list|\w+Of|areaOf\w+) .* must answer, and had not after 5 s$/)]
    const silentStorage = seedBroken(() => ({ nodeAt: never, list: never }))
    const rightRegistry: SeedRegistry = async (world) => ({ ports: memoryRegistry(world), close: async () => {} })
    for (const law of storageLaws) expect(await violationsWithin(5_000, law, silentStorage)).toEqual(violations)
    for (const law of ofRegistry) expect(await violationsWithin(5_000, law, silent)).toEqual(violations)
    vi.clearAllTimers()
    for (const law of storageLaws) await law.violations(seedBroken())
    for (const law of ofRegistry) await law.violations(rightRegistry)
    expect(vi.getTimerCount()).toBe(0)
  })
})
