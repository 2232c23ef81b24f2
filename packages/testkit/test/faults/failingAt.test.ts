import { Failure, StoragePath, type UserId } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { worldOfManyCalls } from '../../../../test/support/src/manyCalls.js'
import { failingAt, faultMark } from '../../src/faults.js'
import { memoryPorts } from '../../src/World.js'

const right = memoryPorts(worldOfManyCalls)
const owner = 1n as UserId.UserId

describe('failingAt', () => {
  it('fails the nth call, counted over all ports, and no other', async () => {
    const { ports, happened } = failingAt(right, 2, 'fails with external')
    const area = await ports.areaOfUser(owner)()
    expect([area, happened()]).toEqual([await right.areaOfUser(owner)(), false])
    expect([await ports.settingsOf(owner)(), happened()]).toEqual([
      E.left(Failure.external(new Error(faultMark))),
      true,
    ])
    expect(await ports.settingsOf(owner)()).toEqual(await right.settingsOf(owner)())
  })

  it('passes on what was asked', async () => {
    const { ports } = failingAt(right, 9, 'throws')
    const area = { owner, location: '1' } as Parameters<typeof ports.list>[0]
    expect(await ports.list(area, StoragePath.root)()).toEqual(await right.list(area, StoragePath.root)())
  })
})
