import { describe, expect, it } from 'vitest'
import { askInProcess } from '../../src/backends/Backend.js'
import { interleavings } from '../../src/interleavings/interleavings.js'
import { mutableMemory } from '../../src/memoryPorts.js'
import { brokenOperations } from './brokenOperations.js'
import { archivesAsked, filesAsked } from './readers.js'

const pagings = [
  ['pages of one entry', mutableMemory({ pageEntries: 1 })],
  ['a directory as one page', mutableMemory()],
] as const

const laws = interleavings.map((law) => [law.name, law] as const)

describe.each(pagings)('changes between the calls of an operation, over %s', (_, open) => {
  it.each(laws)('%s', async (_name, { violations }) => {
    expect(await violations({ open, operation: askInProcess })).toEqual([])
  })
})

describe.each([
  ['a file', filesAsked],
  ['an archive', archivesAsked],
])('changes while %s is opened', (_, subject) => {
  it.each(laws)('%s', async (_name, { violations }) => {
    expect(await violations({ open: mutableMemory(), ...subject })).toEqual([])
  })
})

it.each(brokenOperations)('interleavings detect an operation that %s', async (_, law, operation) => {
  const detecting = interleavings.filter(({ name }) => name === law)
  const open = mutableMemory({ pageEntries: 1 })
  const found = await Promise.all(detecting.map(({ violations }) => violations({ open, operation })))
  expect(found).toEqual([expect.arrayContaining([expect.any(String)])])
})
