import type { StoragePath } from '@canopy/domain'
import * as O from 'fp-ts/lib/Option.js'
import type { Notices } from './Notices.js'
import { keyOf, type Place } from './Place.js'
import type { Reading } from './Reading.js'
import { stillStands } from './stillStands.js'

interface Watched {
  readonly stop: () => void
  /** Who leans on every entry of the directory. */
  readonly onAny: Set<Reading>
  /** Who leans on one entry of it: the next step of a path. */
  readonly onName: Map<string, Set<Reading>>
}

export interface Watching {
  /** Makes a reading lean on a directory of its area, or on one entry of it; false when it cannot be watched. */
  readonly lean: (reading: Reading, path: StoragePath.StoragePath, name?: string) => boolean
  /** Ends all that a reading leans on; a directory on which nobody leans is watched no more. */
  readonly release: (reading: Reading) => void
}

/** One watch for each directory, however many readings lean on it. */
export const watching = (notices: Notices, stale: (reading: Reading) => void): Watching => {
  const directories = new Map<string, Watched>()

  const changed = (key: string) => (name: O.Option<string>) => {
    const watched = directories.get(key)
    if (watched === undefined) return
    const named = O.isNone(name) ? [...watched.onName.values()] : [watched.onName.get(name.value) ?? new Set<Reading>()]
    for (const reading of [...watched.onAny, ...named.flatMap((readings) => [...readings])]) stale(reading)
  }

  const watchedAt = (place: Place, key: string): Watched | undefined => {
    const known = directories.get(key)
    if (known !== undefined) return known
    const stop = notices.watch(place.area, place.path, changed(key))
    if (O.isNone(stop)) return undefined
    // What is watched now may lie below another root, which stands there for a moment, by a link that is set anew, say.
    if (!stillStands(notices, place)) {
      stop.value()
      return undefined
    }
    const watched = { stop: stop.value, onAny: new Set<Reading>(), onName: new Map<string, Set<Reading>>() }
    directories.set(key, watched)
    return watched
  }

  const forget = (reading: Reading, key: string, name: string | undefined): void => {
    const watched = directories.get(key)
    if (watched === undefined) return
    if (name === undefined) {
      watched.onAny.delete(reading)
    } else {
      const readings = watched.onName.get(name)
      readings?.delete(reading)
      if (readings?.size === 0) watched.onName.delete(name)
    }
    if (watched.onAny.size > 0 || watched.onName.size > 0) return
    watched.stop()
    directories.delete(key)
  }

  return {
    lean: (reading, path, name) => {
      const place = { ...reading.place, path }
      const key = keyOf(place)
      const watched = watchedAt(place, key)
      if (watched === undefined) return false
      const readings = name === undefined ? watched.onAny : (watched.onName.get(name) ?? new Set())
      if (name !== undefined) watched.onName.set(name, readings)
      readings.add(reading)
      reading.watches.push({ key, name })
      return true
    },
    release: (reading) => {
      for (const { key, name } of reading.watches.splice(0)) forget(reading, key, name)
    },
  }
}
