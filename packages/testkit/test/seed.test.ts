import { lstatSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { coreBackend } from '../src/backends/Backend.js'
import { httpBackend } from '../src/backends/overHttp.js'
import { accessLaws } from '../src/laws/accessLaws.js'
import { settingsLaws, triggersLaws } from '../src/laws/registryLaws.js'
import { storageLaws } from '../src/laws/storageLaws.js'
import { modelAgreement } from '../src/modelAgreement.js'
import { removeDirectory, SeedingFailed, seedDirectory } from '../src/seed.js'
import { dir, file } from '../src/World.js'

describe('seedDirectory', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'canopy-seed-'))
  })
  afterEach(() => removeDirectory(root))

  it('makes files and directories with exact sizes and times, also of what holds others', async () => {
    await seedDirectory(join(root, 'new', 'area'), [
      { ...dir('d', file('f', 2n ** 33n, 7n)), last_modified: 5n },
      file('-n', 1n, 0n),
    ])
    const stats = (path: string) => lstatSync(join(root, 'new', 'area', path), { bigint: true })
    expect(stats('d').mtimeNs).toBe(5_000_000_000n)
    expect([stats('d/f').size, stats('d/f').mtimeNs]).toEqual([2n ** 33n, 7_000_000_000n])
    expect([stats('-n').size, stats('-n').mtimeNs]).toEqual([1n, 0n])
  })

  it('makes links, FIFOs and names that are not UTF-8', async () => {
    await seedDirectory(root, [
      { type: 'link', name: 'link', target: '../elsewhere' },
      { type: 'fifo', name: 'pipe' },
      { type: 'undecodable', name: 'caf' },
    ])
    expect(readlinkSync(join(root, 'link'))).toBe('../elsewhere')
    expect(lstatSync(join(root, 'pipe')).isFIFO()).toBe(true)
    expect(readdirSync(root, { encoding: 'latin1' })).toEqual(['caf\xff\xfe', 'link', 'pipe'])
  })

  it('makes nothing of what is missing, an empty directory of nothing, and refuses two nodes of one name', async () => {
    await seedDirectory(join(root, 'missing'), 'missing')
    await seedDirectory(join(root, 'empty'), [])
    expect(readdirSync(root)).toEqual(['empty'])
    await expect(seedDirectory(root, [file('f', 0n, 0n), file('f', 1n, 0n)])).rejects.toThrow('EEXIST')
  })
})

const full = new Error('ENOSPC')

describe.each<[string, () => Promise<never>]>([
  ['rejects', () => Promise.reject(full)],
  [
    'throws',
    () => {
      throw full
    },
  ],
])('where seeding %s', (_, seed) => {
  const said = (purpose: string) =>
    expect.objectContaining({ name: 'SeedingFailed', message: `seeding failed for ${purpose}: ENOSPC`, cause: full })

  it('each law says so by its name, and reports no violation', async () => {
    const ofRegistry = [...accessLaws, ...settingsLaws, ...triggersLaws]
    const outcomes = [...storageLaws, ...ofRegistry].map(({ name, violations }) => [name, violations(seed)] as const)
    for (const [name, outcome] of outcomes) {
      await expect(outcome).rejects.toBeInstanceOf(SeedingFailed)
      await expect(outcome).rejects.toEqual(said(`the law "${name}"`))
    }
  })

  it('so do a backend, and generated worlds, which disagree with nothing', async () => {
    const [mine, overHttp] = [coreBackend('mine', true, seed), httpBackend('mine', true, seed)]
    const world = { accounts: [], triggers: [] }
    for (const asking of [
      mine.open(world),
      overHttp.open(world),
      modelAgreement(mine, { requests: 10, seed: 1, asksPerWorld: 2 }),
    ])
      await expect(asking).rejects.toEqual(said('a world of mine'))
  })
})
