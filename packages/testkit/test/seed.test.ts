import { lstatSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { coreBackend } from '../src/backends/Backend.js'
import { httpBackend } from '../src/backends/overHttp.js'
import { accessLaws } from '../src/laws/accessLaws.js'
import { changeLaws } from '../src/laws/changeLaws.js'
import { settingsLaws, triggersLaws } from '../src/laws/registryLaws.js'
import { storageLaws } from '../src/laws/storageLaws.js'
import { modelAgreement } from '../src/modelAgreement.js'
import { removeDirectory, seedDirectory } from '../src/seed.js'
import { dir, file } from '../src/World.js'

describe('seedDirectory', () => {
  let root: string
  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'canopy-seed-'))
  })
  afterEach(() => removeDirectory(root))

  it('creates files and directories with exact sizes and times', async () => {
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
})

const fails = (): never => {
  throw new Error('ENOSPC')
}

it('a failed seeding is no violation of a law: it rejects with the name of the law', async () => {
  for (const { name, violations } of [...storageLaws, ...changeLaws, ...accessLaws, ...settingsLaws, ...triggersLaws]) {
    const message = `seeding failed for the law "${name}": ENOSPC`
    await expect(violations(fails)).rejects.toEqual(expect.objectContaining({ name: 'SeedingFailed', message }))
  }
})

it('a failed seeding is no disagreement of a backend: it rejects with the name of the backend', async () => {
  for (const backend of [coreBackend('mine', true, fails), httpBackend('mine', true, fails)])
    await expect(modelAgreement(backend, { requests: 10, seed: 1, asksPerWorld: 2 })).rejects.toEqual(
      expect.objectContaining({ message: 'seeding failed for a world of mine: ENOSPC' }),
    )
})
