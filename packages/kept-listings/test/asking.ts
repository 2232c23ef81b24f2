import { setTimeout as sleep } from 'node:timers/promises'
import { type Entry, StoragePath } from '@canopy/domain'
import type { WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { afterEach, expect } from 'vitest'
import { type KeptArea, keptArea } from './keptArea.js'

export const at = (text: string): StoragePath.StoragePath => {
  const path = StoragePath.fromString(text)
  if (O.isNone(path)) throw new Error(`no path: ${text}`)
  return path.value
}

export const nodes: ReadonlyArray<WorldNode> = [
  {
    type: 'dir',
    name: 'a',
    last_modified: 10n,
    content: [
      {
        type: 'dir',
        name: 'b',
        last_modified: 11n,
        content: [{ type: 'file', name: 'file', size: 1n, last_modified: 12n }],
      },
      { type: 'file', name: 'beside', size: 2n, last_modified: 13n },
    ],
  },
  { type: 'file', name: 'top', size: 3n, last_modified: 14n },
]

export const emptyDirectory = { type: 'dir', last_modified: 10n, content: [] } as const

export const shown = async ({ ports, area }: KeptArea, path: string): Promise<unknown> => {
  const listed = await ports.list(area, at(path))()
  return E.isLeft(listed)
    ? listed.left.error
    : Array.from(listed.right.entries, (entry: Entry.Entry) => [
        entry.name,
        entry.type === 'file' ? Number(entry.size) : 'dir',
        Number(entry.last_modified),
      ])
}

/** Asks until the listing is kept, and a little longer. */
export const warm = async (area: KeptArea, path: string): Promise<void> => {
  await shown(area, path)
  await sleep(50)
  const before = area.reads()
  await shown(area, path)
  expect(area.reads()).toBe(before)
}

/** Kept areas, which are closed after each test. */
export const keptAreas = () => {
  const areas: Array<KeptArea> = []
  afterEach(() => Promise.all(areas.splice(0).map(({ close }) => close())))
  return async (...parameters: Parameters<typeof keptArea>): Promise<KeptArea> => {
    const area = await keptArea(...parameters)
    areas.push(area)
    return area
  }
}
