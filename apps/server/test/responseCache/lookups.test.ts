import { type Area, Failure, Settings, StoragePath, U64, type UserId } from '@canopy/domain'
import { memoryPorts } from '@canopy/testkit'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { describe, expect, it } from 'vitest'
import type { Ports } from '../../src/ports.js'
import { recordLookups } from '../../src/responseCache.js'

const user = 1n as UserId.UserId
const area: Area.Area = { owner: user, location: '1' as Area.AreaLocation }

const recording = (overrides: Partial<Ports>) => {
  const ports = { ...memoryPorts({ accounts: [], triggers: [] }), ...overrides }
  return recordLookups(ports, ports)
}

const standing = async (recorded: ReturnType<typeof recording>) =>
  Promise.all((recorded.lookups() ?? []).map((lookup) => lookup()))

describe('recorded look-ups', () => {
  it('stand while the port gives the very same value, and no longer', async () => {
    let settings: Settings.Settings = new Map()
    const recorded = recording({ settingsOf: () => TE.right(settings) })
    await recorded.ports.settingsOf(user)()
    expect(await standing(recorded)).toEqual([true])
    settings = new Map()
    expect(await standing(recorded)).toEqual([false])
  })

  it('stand while a node is equal, since a node is made again each time', async () => {
    let last_modified = U64.clamp(1n)
    const recorded = recording({ nodeAt: () => TE.right({ type: 'dir', last_modified }) })
    await recorded.ports.nodeAt(area, StoragePath.root)()
    expect(await standing(recorded)).toEqual([true])
    last_modified = U64.clamp(2n)
    expect(await standing(recorded)).toEqual([false])
  })

  it('do not stand once the port fails', async () => {
    let works = true
    const recorded = recording({
      settingsOf: () => (works ? TE.right(Settings.none) : TE.left(Failure.external('gone'))),
      nodeAt: () => (works ? TE.right({ type: 'dir', last_modified: U64.zero }) : TE.left(Failure.external('gone'))),
    })
    await recorded.ports.settingsOf(user)()
    await recorded.ports.nodeAt(area, StoragePath.root)()
    expect(await standing(recorded)).toEqual([true, true])
    works = false
    expect(await standing(recorded)).toEqual([false, false])
  })

  it('are none when one of them failed', async () => {
    const recorded = recording({ settingsOf: () => TE.right(Settings.none) })
    await recorded.ports.settingsOf(user)()
    await recorded.ports.areaOfUser(user)()
    await recorded.ports.settingsOf(user)()
    expect(recorded.lookups()).toBe(undefined)
  })

  it('are none when they are more than 256', async () => {
    const recorded = recording({ settingsOf: () => TE.right(Settings.none) })
    for (let asked = 0; asked < 256; asked += 1) await recorded.ports.settingsOf(user)()
    expect(recorded.lookups()?.length).toBe(256)
    await recorded.ports.settingsOf(user)()
    expect(recorded.lookups()).toBe(undefined)
  })
})
