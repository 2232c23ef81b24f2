import { type Area, type Entry, type ListEnv, type Name, type NodeAtEnv, StoragePath } from '@canopy/domain'
import { breathing, turn } from '@canopy/event-loop'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import type { Reading } from './Reading.js'
import { someDirectory } from './someDirectory.js'
import type { Watching } from './watching.js'

/** A directory with more directories in it than this is not kept: each of them takes a watch. */
const mostDirectories = 1024

const stepOf = (at: StoragePath.StoragePath): ReadonlyArray<readonly [StoragePath.StoragePath, Name.Name]> => {
  const name = StoragePath.name(at)
  const parent = StoragePath.parent(at)
  return O.isNone(parent) || name === '' ? [] : [[parent.value, name]]
}

/**
 * Every entry of the directory matters, and each step of the path that leads to it. From the root of the area down: what
 * takes the place of a directory once its parent is watched is noticed. False when one is not watched.
 */
export const leanOnPath = (watching: Watching, reading: Reading): boolean =>
  StoragePath.upwards(reading.place.path)
    .flatMap(stepOf)
    .reverse()
    .every(([parent, name]) => watching.lean(reading, parent, name)) && watching.lean(reading, reading.place.path)

/**
 * A listing tells when each directory in it was modified, of which only a watch on that directory gives notice. Watched
 * first, then compared with what was read before; one after the other, in slices, since each takes as long as a small
 * request.
 */
export const leanOnChildren = async (
  watching: Watching,
  storage: NodeAtEnv & ListEnv,
  reading: Reading,
): Promise<boolean> => {
  const { area, path } = reading.place
  const directories: Array<Entry.Entry> = []
  const found = (directory: Entry.Entry): boolean => directories.push(directory) > mostDirectories
  if (await someDirectory(reading.listing?.entries ?? [], found)) return false
  if (directories.length === 0) return true
  await turn()
  const breathe = breathing()
  for (const directory of directories) {
    await breathe()
    if (reading.stale) return false
    const child = StoragePath.child(path, directory.name)
    if (O.isNone(child)) continue
    if (!watching.lean(reading, child.value)) return false
    if (!(await isUnchanged(storage, area, child.value, directory))) return false
  }
  return true
}

const isUnchanged = async (
  storage: NodeAtEnv & ListEnv,
  area: Area.Area,
  path: StoragePath.StoragePath,
  { last_modified }: Entry.Entry,
): Promise<boolean> =>
  pipe(
    await storage.nodeAt(area, path)(),
    E.exists((node) => node.type === 'dir' && node.last_modified === last_modified),
  )
