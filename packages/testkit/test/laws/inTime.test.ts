import { StoragePath } from '@canopy/domain'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { accessLaws } from '../../src/laws/accessLaws.js'
import type { Law } from '../../src/laws/Law.js'
import { settingsLaws, triggersLaws } from '../../src/laws/registryLaws.js'
import { storageLaws } from '../../src/laws/storageLaws.js'
import { memoryRegistry, type SeedRegistry } from '../../src/World.js'
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

const lawNamed = <Subject>(laws: ReadonlyArray<Law<Subject>>, name: string): Law<Subject> => {
  const law = laws.find((each) => each.name === name)
  if (law === undefined) throw new Error(`no law of the name ${name}`)
  return law
}

/** Everything that a law says within so long of waiting. */
const saidWithin = async <Subject>(ms: number, law: Law<Subject>, subject: Subject) => {
  const said = law.violations(subject)
  await vi.advanceTimersByTimeAsync(ms)
  return Promise.race([said, Promise.resolve('nothing yet')])
}

describe('of a port that never answers', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('a law says which question it was, after 5 seconds, and asks nothing more', async () => {
    const law = lawNamed(storageLaws, 'where nothing is, is `file not found`')
    expect(await saidWithin(4_999, law, seedBroken(silentAt('/a/missing')))).toBe('nothing yet')
    vi.clearAllTimers()
    expect(await saidWithin(5_000, law, seedBroken(silentAt('/a/missing')))).toEqual([
      'nodeAt "/a/missing" must answer, and had not after 5 s',
    ])
  })

  it('a law says what it had found before, too', async () => {
    const law = lawNamed(storageLaws, 'below a missing name is `file not found`')
    const broken: Break = (ports) => ({
      ...silentAt('/a/missing/c/d')(ports),
      list: (area) => ports.list(area, StoragePath.root),
    })
    const said = await saidWithin(5_000, law, seedBroken(broken))
    expect(said).toHaveLength(2)
    expect(said[0]).toContain('list "/missing/b" must be file not found, and is ')
    expect(said[1]).toBe('nodeAt "/a/missing/c/d" must answer, and had not after 5 s')
  })

  it('no law waits longer', async () => {
    const said = [expect.stringMatching(/^(nodeAt|list|\w+Of|areaOf\w+) .* must answer, and had not after 5 s$/)]
    for (const law of storageLaws)
      expect(
        await saidWithin(
          5_000,
          law,
          seedBroken(() => ({ nodeAt: never, list: never })),
        ),
      ).toEqual(said)
    for (const law of [...accessLaws, ...settingsLaws, ...triggersLaws])
      expect(await saidWithin(5_000, law, silent)).toEqual(said)
  })

  it('nothing is waited for any more once all has been answered', async () => {
    for (const law of storageLaws) expect(await law.violations(seedBroken())).toEqual([])
    for (const law of [...accessLaws, ...settingsLaws, ...triggersLaws]) {
      const seed: SeedRegistry = async (world) => ({ ports: memoryRegistry(world), close: async () => {} })
      expect(await law.violations(seed)).toEqual([])
    }
    expect(vi.getTimerCount()).toBe(0)
  })
})
