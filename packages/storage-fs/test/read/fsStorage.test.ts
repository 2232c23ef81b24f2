import { type SeedStorage, storageLaws } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { fsStorage } from '../../src/read/fsStorage.js'
import { pinByDescriptor, pinByPath } from '../../src/resolve/openPinned.js'
import { areaAt, asNobody, at, file, inArea, temporaryArea } from '../temporaryArea.js'

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

  it('fails with external where a file stands at the root of an area', () =>
    inArea([file('f')], async ({ root }) => {
      const { list, nodeAt } = fsStorage(root, { pin })
      const area = areaAt('area/f')
      for (const failed of [await nodeAt(area, at('/'))(), await nodeAt(area, at('/x'))(), await list(area, at('/'))()])
        expect(failed).toMatchObject(E.left({ error: 'external' }))
    }))
})
