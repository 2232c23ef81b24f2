import { lstatSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { coreBackend } from '../src/backends/Backend.js'
import { httpBackend } from '../src/backends/overHttp.js'
import { accessLaws } from '../src/laws/accessLaws.js'
import { changeLaws } from '../src/laws/changeLaws.js'
import { settingsLaws, triggersLaws } from '../src/laws/registryLaws.js'
import { storageLaws } from '../src/laws/storageLaws.js'
import { modelAgreement } from '../src/modelAgreement.js'
import { removeDirectory, seedDirectory } from '../src/seed.js'

it('seedDirectory makes links, FIFOs and names that are not UTF-8', async () => {
  const root = mkdtempSync(join(tmpdir(), 'canopy-seed-'))
  onTestFinished(() => removeDirectory(root))
  await seedDirectory(root, [
    { type: 'link', name: 'link', target: '../elsewhere' },
    { type: 'fifo', name: 'pipe' },
    { type: 'undecodable', name: 'caf' },
  ])
  expect(readlinkSync(join(root, 'link'))).toBe('../elsewhere')
  expect(lstatSync(join(root, 'pipe')).isFIFO()).toBe(true)
  expect(readdirSync(root, { encoding: 'latin1' })).toEqual(['caf\xff\xfe', 'link', 'pipe'])
})

const fails = (): never => {
  throw new Error('ENOSPC')
}

it('a failed seeding rejects with the name of the law or of the backend', async () => {
  for (const { name, violations } of [...storageLaws, ...changeLaws, ...accessLaws, ...settingsLaws, ...triggersLaws]) {
    const message = `seeding failed for the law "${name}": ENOSPC`
    await expect(violations(fails)).rejects.toEqual(expect.objectContaining({ name: 'SeedingFailed', message }))
  }
  const message = 'seeding failed for a world of mine: ENOSPC'
  for (const backend of [coreBackend('mine', true, fails), httpBackend('mine', true, fails)])
    await expect(modelAgreement(backend, { requests: 10, seed: 1, asksPerWorld: 2 })).rejects.toEqual(
      expect.objectContaining({ message }),
    )
})
