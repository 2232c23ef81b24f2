import { httpDoor } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { modelAgreement } from '../../../../packages/testkit/src/properties/modelAgreement.js'
import { swappedDoor } from '../../../../packages/testkit/src/properties/swappedDoor.js'
import { startApp } from '../startApp.js'
import { filesDoor } from './filesDoor.js'

describe('the service', () => {
  it('over memory answers as the reference model does', async () => {
    const { port, swap, close } = await swappedDoor('HTTP over memory', startApp)
    const door = httpDoor('HTTP over memory', true, async (world) => {
      swap(world)
      return { port, close: async () => undefined }
    })
    const t0 = Date.now()
    const report = await modelAgreement(door, { requests: 800, seed: 2, asksPerWorld: 25 })
    await close()
    console.log(Date.now() - t0, report.requests)
    expect(report).toMatchObject({ disagreement: O.none })
  })

  it('over files and SQLite answers as the reference model does', async () => {
    const t0 = Date.now()
    const report = await modelAgreement(filesDoor, { requests: 1000, seed: 3, asksPerWorld: 40 })
    console.log(Date.now() - t0, report)
    expect(report).toMatchObject({ disagreement: O.none })
  })
})
