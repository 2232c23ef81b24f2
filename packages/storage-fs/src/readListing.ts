import { lstatSync } from 'node:fs'
import { type Entry, Failure } from '@canopy/domain'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { failureOfErrno } from './failureOfErrno.js'
import type { HeldNode } from './HeldNode.js'
import { inSlices } from './inSlices.js'
import { nameOfBytes } from './nameOfBytes.js'
import { nodeOfStats } from './nodeOfStats.js'
import { notADirectory } from './notADirectory.js'
import { noteOtherNames } from './otherNames.js'
import { readNames } from './readNames.js'

type Found = O.Option<Entry.Entry> | 'unlistable'

interface Seen {
  otherNames: boolean
}

/** `none` when the entry has vanished since its name was read, or is neither file nor directory. */
const entryOf =
  (directory: string, seen: Seen) =>
  (bytes: string): Found => {
    const name = nameOfBytes(bytes)
    if (O.isNone(name)) return 'unlistable'
    const stats = lstatSync(`${directory}/${name.value}`, { bigint: true, throwIfNoEntry: false })
    const node = stats === undefined ? O.none : nodeOfStats(stats)
    if (stats?.isFile() === true && stats.nlink > 1n) seen.otherNames = true
    return O.isNone(node) ? O.none : O.some({ name: name.value, ...node.value })
  }

const listingOf = (found: ReadonlyArray<Found>): Entry.Listing => ({
  entries: pipe(
    found,
    RA.filterMap((each) => (each === 'unlistable' ? O.none : each)),
  ),
  unlistable: found.filter((each) => each === 'unlistable').length,
})

const read = async (directory: string, names: ReadonlyArray<string>): Promise<Entry.Listing> => {
  const seen: Seen = { otherNames: false }
  const listing = listingOf(await inSlices(names, entryOf(directory, seen)))
  return seen.otherNames ? noteOtherNames(listing) : listing
}

/** What a held directory holds; whole, or a failure. */
export const readListing = ({
  stats,
  reachedBy,
}: HeldNode): TE.TaskEither<Failure.FileNotFound | Failure.TypeMismatch | Failure.External, Entry.Listing> =>
  stats.isDirectory()
    ? pipe(
        TE.tryCatch(() => readNames(reachedBy), failureOfErrno),
        // A failing entry is no answer about the directory: whatever it is, the listing cannot be whole.
        TE.flatMap((names) => TE.tryCatch(() => read(reachedBy, names), Failure.external)),
      )
    : TE.left(notADirectory(stats))
