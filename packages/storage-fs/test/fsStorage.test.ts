import { storageLaws } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { holdByDescriptor } from '../src/holdByDescriptor.js'
import { holdByPath } from '../src/holdByPath.js'
import { temporaryArea } from './temporaryArea.js'

describe.each([
  ['by descriptor', holdByDescriptor],
  ['by path, as where /proc is missing', holdByPath],
])('fsStorage keeps the laws of the storage ports, %s', (_, hold) => {
  it.each(storageLaws)('$name', async ({ violations }) => {
    expect(await violations((nodes, otherNodes) => temporaryArea(nodes, hold, undefined, otherNodes))).toEqual([])
  })
})
