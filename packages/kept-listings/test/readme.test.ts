import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, StoragePath, type UserId } from '@canopy/domain'
import type { StorageRoot } from '@canopy/storage-fs'
import * as E from 'fp-ts/lib/Either.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keptStorage } from './readme.js'

const area: Area.Area = { owner: 1n as UserId.UserId, location: Area.location('alice') }

describe('the example of the README', () => {
  let storage = ''
  beforeEach(() => {
    storage = mkdtempSync(join(tmpdir(), 'canopy-readme-'))
  })
  afterEach(() => {
    rmSync(storage, { recursive: true })
  })

  it('is never stale', async () => {
    const { list } = keptStorage(storage as StorageRoot.StorageRoot)
    const names = async (): Promise<ReadonlyArray<string>> => {
      const listing = await list(area, StoragePath.root)()
      return E.isLeft(listing) ? [listing.left.error] : [...listing.right.entries].map(({ name }) => name)
    }
    mkdirSync(join(storage, 'alice'))
    expect(await names()).toEqual([])
    writeFileSync(join(storage, 'alice', 'diary'), '')
    expect(await names()).toEqual(['diary'])
  })
})
