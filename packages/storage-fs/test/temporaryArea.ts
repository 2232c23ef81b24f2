import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Area, StoragePath, type UserId } from '@canopy/domain'
import { removeDirectory, type SeededStorage, seedDirectory, type WorldAccount } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { type FsStorage, fsStorage } from '../src/fsStorage.js'
import type { HoldNode } from '../src/holdNode.js'
import * as StorageRoot from '../src/StorageRoot.js'

const given = (what: string) => (): never => {
  throw new Error(`the test itself is wrong: ${what}`)
}

export const rootAt = (directory: string): StorageRoot.StorageRoot =>
  pipe(StorageRoot.fromText('/')(`file:${directory}`), E.getOrElseW(given(directory)))

export const at = (path: string): StoragePath.StoragePath =>
  pipe(StoragePath.fromString(path), O.getOrElseW(given(path)))

export const areaAt = (location: string): Area.Area => ({
  owner: 1n as UserId.UserId,
  location: Area.location(location),
})

export interface TemporaryArea extends SeededStorage {
  readonly ports: FsStorage
  readonly root: StorageRoot.StorageRoot
  /** Absolute. */
  readonly directory: string
}

/** Real files under a fresh storage root, in an area of the location `area`. */
export const temporaryArea = async (
  nodes: WorldAccount['area'],
  hold?: HoldNode,
  above = tmpdir(),
  otherNodes: WorldAccount['area'] = 'missing',
): Promise<TemporaryArea> => {
  const root = rootAt(await mkdtemp(join(above, 'canopy-fs-')))
  const directory = join(root, 'area')
  await seedDirectory(directory, nodes)
  await seedDirectory(join(root, 'other'), otherNodes)
  return {
    root,
    directory,
    area: areaAt('area'),
    other: areaAt('other'),
    ports: fsStorage(root, { hold }),
    close: () => removeDirectory(root),
  }
}

/** Plants, uses and uproots. */
export const inArea = async (
  nodes: WorldAccount['area'],
  use: (area: TemporaryArea) => Promise<void>,
): Promise<void> => {
  const area = await temporaryArea(nodes)
  try {
    await use(area)
  } finally {
    await area.close()
  }
}
