import { type ListEnv, StoragePath } from '@canopy/domain'
import { beforeChanges, runs, staleAnswers } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { inArea, type TemporaryArea } from './temporaryArea.js'

const listed =
  (list: ListEnv['list'], { area }: TemporaryArea) =>
  async () => {
    const listing = await list(area, StoragePath.root)()
    if (E.isLeft(listing)) throw new Error(`the listing failed: ${listing.left.error}`)
    return Array.from(listing.right.entries, (entry) => ({ ...entry, size: entry.type === 'file' ? entry.size : 0n }))
  }

describe('a listing of a directory that is being changed', () => {
  it('tells what it held at one moment when it is read until it is at rest', () =>
    inArea(beforeChanges, async (area) => {
      const ask = [listed(area.ports.listSnapshot, area)]
      const { violations } = await staleAnswers(area.directory, { ask, answers: runs(2_000) })
      expect(violations).toEqual([])
    }))

  it('tells of several moments when it is read once', () =>
    inArea(beforeChanges, async (area) => {
      const ask = [listed(area.ports.list, area)]
      const enough = (sofar: { readonly violations: ReadonlyArray<string> }) => sofar.violations.length > 0
      const { violations } = await staleAnswers(area.directory, { ask, answers: 2_000, enough })
      expect(violations.length).toBeGreaterThan(0)
    }))
})
