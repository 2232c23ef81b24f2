import { storageLaws } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { fsStorage } from '../../src/read/fsStorage.js'
import { pinByDescriptor, pinByPath } from '../../src/resolve/openPinned.js'
import type { StorageRoot } from '../../src/StorageRoot.js'
import { asNobody, readersAt, temporaryArea } from '../temporaryArea.js'

describe.each([
  ['by descriptor', (root: StorageRoot) => fsStorage(root, { pin: pinByDescriptor })],
  ['by path, as where /proc is missing', (root: StorageRoot) => fsStorage(root, { pin: pinByPath })],
  ['in reader processes', (root: StorageRoot) => readersAt(root, { idleMs: 1_000 })],
])('fsStorage keeps the laws of the storage ports, %s', (_, portsAt) => {
  const violationsOf = ({ violations }: (typeof storageLaws)[number]) =>
    violations(async (nodes, otherNodes) => {
      const area = await temporaryArea(nodes, { otherNodes })
      return { ...area, ports: portsAt(area.root) }
    })

  it.each(storageLaws)('$name', async (law) => {
    expect(await violationsOf(law)).toEqual([])
  })

  it.each(storageLaws.filter(({ name }) => name.includes('locked')))(
    '$name; so it is for a user whom permissions stop',
    (law) => asNobody(async () => expect(await violationsOf(law)).toEqual([])),
  )
})
