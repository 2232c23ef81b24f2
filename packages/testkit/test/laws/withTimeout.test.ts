import { StoragePath } from '@canopy/domain'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accessLaws } from '../../src/laws/accessLaws.js'
import type { Law } from '../../src/laws/Law.js'
import { settingsLaws, triggersLaws } from '../../src/laws/registryLaws.js'
import { storageLaws } from '../../src/laws/storageLaws.js'
import { memoryRegistry } from '../../src/memoryPorts.js'
import type { SeedRegistry } from '../../src/World.js'
import { type Break, seedBroken } from './brokenStorage.js'

const never = () => () => new Promise<never>(() => undefined)

/** Never finds the node at one path. */
const silentAt =
  (text: string): Break =>
  (ports) => ({
    ...ports,
    nodeAt: (area, path) => (String(path) === text ? never() : ports.nodeAt(area, path)),
  })

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

  it('a law says which question it was, after 5 seconds, and asks nothing more', async () => {
    const law = storageLaws.find(({ name }) => name === 'where nothing is, is `file not found`')
    expect(await violationsWithin(4_999, law, seedBroken(silentAt('/a/missing')))).toBe('nothing yet')
    vi.clearAllTimers()
    expect(await violationsWithin(5_000, law, seedBroken(silentAt('/a/missing')))).toEqual([
      'nodeAt "/a/missing" must answer, and had not after 5 s',
    ])
  })

  it('a law says what it had found before, too', async () => {
    const law = storageLaws.find(({ name }) => name === 'below a missing name is `file not found`')
    const broken: Break = (ports) => ({
      ...silentAt('/a/missing/c/d')(ports),
      list: (area) => ports.list(area, StoragePath.root),
    })
    const violations = await violationsWithin(5_000, law, seedBroken(broken))
    expect(violations).toHaveLength(2)
    expect(violations?.[0]).toContain('list "/missing/b" must be file not found, and is ')
    expect(violations?.[1]).toBe('nodeAt "/a/missing/c/d" must answer, and had not after 5 s')
  })

  const ofRegistry = [...accessLaws, ...settingsLaws, ...triggersLaws]

  it('no law waits longer, and none waits once all has been answered', async () => {
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
