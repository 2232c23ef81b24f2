import { type SeedStorage, storageLaws } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { pinByDescriptor, pinByPath } from '../../src/resolve/openPinned.js'
import { asNobody, temporaryArea } from '../temporaryArea.js'

describe.each([
  ['by descriptor', pinByDescriptor],
  ['by path, as where /proc is missing', pinByPath],
])('fsStorage keeps the laws of the storage ports, %s', (_, pin) => {
  it.each(storageLaws)('$name', async ({ violations }) => {
    expect(await violations((nodes, otherNodes) => temporaryArea(nodes, pin, undefined, otherNodes))).toEqual([])
  })

  it.each(storageLaws.filter(({ name }) => name.includes('locked')))(
    '$name; so it is for a user whom permissions stop',
    ({ violations }) =>
      asNobody(async () => {
        const plant: SeedStorage = (nodes, others) => temporaryArea(nodes, pin, undefined, others)
        expect(await violations(plant)).toEqual([])
      }),
  )
})
