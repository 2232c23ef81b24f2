import { storageLaws } from '@canopy/testkit'
import { describe, expect, it } from 'vitest'
import { seedDocument } from './seedDocument.js'

describe('storage laws', () => {
  for (const { name, violations } of storageLaws) {
    it(name, { timeout: 30_000 }, async () => {
      expect(await violations(seedDocument)).toEqual([])
    })
  }
})
