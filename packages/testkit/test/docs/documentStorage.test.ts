import { storageLaws } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { plantDocument } from './plantDocument.js'

describe.each(storageLaws)('$name', ({ violations }) => {
  it('holds', async () => {
    expect(await violations(plantDocument)).toEqual([])
  })
})
