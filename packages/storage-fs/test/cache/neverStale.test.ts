import { StoragePath } from '@canopy/domain'
import { beforeChanges, type ListedFile, runs, staleAnswers } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { expect, it } from 'vitest'
import { type CachedArea, cachedAreas } from './cachedArea.js'

const answers = runs(100_000, 1_000_000)
const cached = cachedAreas()

const listed =
  ({ ports, area }: CachedArea) =>
  async (): Promise<ReadonlyArray<ListedFile>> => {
    const listing = await ports.list(area, StoragePath.root)()
    return E.isRight(listing)
      ? Array.from(listing.right.entries, (entry) => ({ ...entry, size: entry.type === 'file' ? entry.size : 0n }))
      : []
  }

it(`${answers} cached listings beside a writer are states between question and answer`, async () => {
  const area = await cached(beforeChanges)
  const ask = Array.from({ length: 64 }, () => listed(area))
  const { violations, steps, ...found } = await staleAnswers(area.directory, { ask, answers })
  expect(violations.slice(0, 3)).toEqual([])
  expect([area.reads() < found.answers, steps > 50]).toEqual([true, true])
}, 1_800_000)
