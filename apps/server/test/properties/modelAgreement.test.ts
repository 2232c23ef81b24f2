import { runs, swappedBackend } from '@canopy/test-support'
import { httpBackend, modelAgreement } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { startApp } from '../startApp.js'
import { filesBackend } from './filesBackend.js'

describe('the service', () => {
  it('over memory answers generated requests to generated worlds as the reference model does', async () => {
    const { port, swap, close } = await swappedBackend('HTTP over memory', startApp)
    const backend = httpBackend('HTTP over memory', true, async (world) => {
      swap(world)
      return { port, close: async () => undefined }
    })
    const report = await modelAgreement(backend, { requests: runs(500), seed: 2, asksPerWorld: 25, faults: true })
    await close()
    expect(report).toMatchObject({ disagreement: O.none })
    expect(report.requests).toBeGreaterThanOrEqual(runs(500))
  })

  it('over files and SQLite answers generated requests to generated worlds as the reference model does', async () => {
    const report = await modelAgreement(filesBackend, { requests: runs(400), seed: 3, asksPerWorld: 50 })
    expect(report).toMatchObject({ disagreement: O.none })
    expect(report.requests).toBeGreaterThanOrEqual(runs(400))
  })
})
