import { StoragePath } from '@canopy/domain'
import type { StorageRoot } from '@canopy/storage-fs'
import { beforeChanges, type ListedFile, type Readers, staleAnswers } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, describe, expect, it } from 'vitest'
import type { Notices } from '../src/Notices.js'
import { type KeptArea, keptArea } from './keptArea.js'
import { lateNotices } from './lateNotices.js'

const answers = Number(process.env['CANOPY_STALE_ANSWERS'] ?? 100_000)

const listed =
  ({ ports, area }: KeptArea) =>
  async (): Promise<ReadonlyArray<ListedFile>> => {
    const listing = await ports.list(area, StoragePath.root)()
    return E.isRight(listing)
      ? Array.from(listing.right.entries, (entry) => ({ ...entry, size: entry.type === 'file' ? entry.size : 0n }))
      : []
  }

describe('kept listings, while a writer changes the directory', () => {
  const areas: Array<KeptArea> = []
  afterEach(() => Promise.all(areas.splice(0).map(({ close }) => close())))

  /** 64 readers ask. */
  const asking = async (readers: Omit<Readers, 'ask'>, notices?: (root: StorageRoot.StorageRoot) => Notices) => {
    const area = await keptArea(beforeChanges, notices === undefined ? {} : { notices })
    areas.push(area)
    const ask = Array.from({ length: 64 }, () => listed(area))
    const found = await staleAnswers(area.directory, { ask, ...readers })
    return { ...found, kept: area.reads() < found.answers }
  }

  it(`give ${answers} answers, each a state that the directory had between question and answer`, async () => {
    const { violations, kept, steps } = await asking({ answers })
    expect(violations.slice(0, 3)).toEqual([])
    expect([kept, steps > 50]).toEqual([true, true])
  }, 600_000)

  it('are compared with the truth: notices that come 20 ms late are found out', async () => {
    const { violations } = await asking(
      { answers: 20_000, enough: (sofar) => sofar.violations.length > 0 },
      lateNotices,
    )
    expect(violations.length).toBeGreaterThan(0)
  })
})
