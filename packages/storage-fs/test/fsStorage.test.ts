import { join } from 'node:path'
import { type SeedStorage, storageLaws } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { fsStorage } from '../src/fsStorage.js'
import { pinByDescriptor, pinByPath } from '../src/resolve/openPinned.js'
import { areaAt, asNobody, readersAt, rootAt, temporaryArea } from './temporaryArea.js'

describe.each([
  ['by descriptor', pinByDescriptor],
  ['by path, as where /proc is missing', pinByPath],
])('fsStorage keeps the laws of the storage ports, %s', (_, pin) => {
  const seed: SeedStorage = async (nodes, otherNodes) => {
    const made = await temporaryArea(nodes, { otherNodes })
    return { ...made, ports: fsStorage(made.root, { pin }) }
  }

  it.each(storageLaws)('$name', async ({ violations }) => {
    expect(await violations(seed)).toEqual([])
  })

  const locked = storageLaws.filter(({ name }) => name.includes('locked'))

  it.each(locked)('$name; so it is for a user whom permissions stop', ({ violations }) =>
    asNobody(async () => expect(await violations(seed)).toEqual([])),
  )
})

const ports = readersAt(rootAt('/'))

it.each(storageLaws)('reader processes keep the law: $name', async ({ violations }) => {
  const seed: SeedStorage = async (nodes, otherNodes) => {
    const { root, directory, close } = await temporaryArea(nodes, { otherNodes })
    return { ports, area: areaAt(directory), other: areaAt(join(root, 'other')), close }
  }
  expect(await violations(seed)).toEqual([])
})
