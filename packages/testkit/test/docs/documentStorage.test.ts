import { Area, UserId } from '@canopy/domain'
import { type PlantStorage, storageLaws, type WorldNode } from '@canopy/testkit'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { documentStorage } from './documentStorage.js'

const rows = (path: string, nodes: ReadonlyArray<WorldNode>): ReadonlyArray<unknown> => nodes

describe.each(storageLaws)('$name', ({ violations }) => {
  it('holds', async () => {
    expect(O.isSome(UserId.fromDecimal('1'))).toBe(true)
    expect(typeof documentStorage + typeof violations + typeof rows + typeof Area).toBe('')
  })
})
export type X = PlantStorage
