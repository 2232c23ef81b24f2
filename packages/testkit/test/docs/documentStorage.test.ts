import { storageLaws } from '@canopy/testkit'
import { expect, it } from 'vitest'
import { seedDocument } from './seedDocument.js'

it.each(storageLaws)('documents keep the law: $name', { timeout: 30_000 }, async ({ violations }) => {
  expect(await violations(seedDocument)).toEqual([])
})
