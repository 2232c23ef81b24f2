import { StoragePath } from '@canopy/domain'
import { beforeChanges, type ListedFile, type Readers, runs, staleAnswers } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import type { ChangeEvents } from '../../src/cache/changeEvents.js'
import type { StorageRoot } from '../../src/StorageRoot.js'
import { type CachedArea, cachedAreas, eventsWith } from './cachedArea.js'

const answers = runs(100_000, 1_000_000)

const listed =
  ({ ports, area }: CachedArea) =>
  async (): Promise<ReadonlyArray<ListedFile>> => {
    const listing = await ports.list(area, StoragePath.root)()
    return E.isRight(listing)
      ? Array.from(listing.right.entries, (entry) => ({ ...entry, size: entry.type === 'file' ? entry.size : 0n }))
      : []
  }

describe('cached listings, while a writer changes the directory', () => {
  const made = cachedAreas()

  const asking = async (
    readers: Omit<Readers, 'ask'>,
    options: { readonly events?: (root: StorageRoot) => ChangeEvents } = {},
  ) => {
    const area = await made(beforeChanges, options)
    const ask = Array.from({ length: 64 }, () => listed(area))
    const found = await staleAnswers(area.directory, { ask, ...readers })
    return { ...found, cached: area.reads() < found.answers }
  }

  it(`give ${answers} answers, each a state that the directory had between question and answer`, async () => {
    const { violations, cached, steps } = await asking({ answers })
    expect(violations.slice(0, 3)).toEqual([])
    expect([cached, steps > 50]).toEqual([true, true])
  }, 1_800_000)

  it('are compared with the truth: events that come 20 ms late are found out', async () => {
    const late = eventsWith(({ watch }) => ({
      watch: (area, path, changed) => watch(area, path, (name) => void setTimeout(() => changed(name), 20)),
    }))
    const enough = (sofar: { readonly violations: ReadonlyArray<string> }) => sofar.violations.length > 0
    const { violations } = await asking({ answers: 20_000, enough }, { events: late })
    expect(violations.length).toBeGreaterThan(0)
  })
})
