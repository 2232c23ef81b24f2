import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { nonInterference } from '../../../../packages/testkit/src/properties/nonInterference.js'
import { swappedDoor } from '../../../../packages/testkit/src/properties/swappedDoor.js'
import { startApp } from '../startApp.js'

describe('what a visitor receives', () => {
  it('x', async () => {
    const { door, close } = await swappedDoor('HTTP over memory', startApp)
    const t0 = Date.now()
    const report = await nonInterference(door, { pairs: 2000, seed: 1 })
    console.log(report, Date.now() - t0)
    await close()
    expect(report.interference).toEqual(O.none)
  })
})
