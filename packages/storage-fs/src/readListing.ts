import { type Entry, Failure } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import type { Found } from './Found.js'
import { failureOfErrno } from './failureOfErrno.js'
import type { HeldNode } from './HeldNode.js'
import { inSlices } from './inSlices.js'
import { listingOf } from './listingOf.js'
import { notADirectory } from './notADirectory.js'
import { ownTime } from './ownTime.js'
import { namesIn, partLength, partOf } from './readDirectory.mjs'
import { threads } from './threads.js'

type Failed = Failure.FileNotFound | Failure.TypeMismatch | Failure.External

/**
 * In bytes, as the directory itself says: no more than some thousand names, which take a millisecond to read. A file system
 * that does not say (0) may have any number of them.
 */
const smallBytes = 65_536

const reading = threads()
const time = ownTime()

const isSmall = ({ stats }: HeldNode): boolean => stats.size > 0n && stats.size <= smallBytes

const partsHere = async (directory: string, names: ReadonlyArray<string>): Promise<ReadonlyArray<Found>> => {
  const first = time.spend(() => partOf(directory, names, 0))
  if (names.length <= partLength) return [first]
  const starts = Array.from({ length: Math.ceil(names.length / partLength) - 1 }, (_, part) => (part + 1) * partLength)
  return [first, ...(await inSlices(starts, (from) => partOf(directory, names, from)))]
}

/** A failing entry is no answer about the directory: whatever it is, the listing cannot be whole. */
const here = ({ reachedBy }: HeldNode): TE.TaskEither<Failed, Entry.Listing> =>
  pipe(
    TE.fromIOEither(() => time.spend(() => E.tryCatch(() => namesIn(reachedBy), failureOfErrno))),
    TE.flatMap((names) => TE.tryCatch(async () => listingOf(await partsHere(reachedBy, names)), Failure.external)),
  )

const onThread = ({ reachedBy }: HeldNode): TE.TaskEither<Failed, Entry.Listing> =>
  pipe(
    TE.tryCatch(() => reading.read(reachedBy), Failure.external),
    TE.flatMap((read) => {
      if ('parts' in read) return TE.tryCatch(() => listingOf(read.parts), Failure.external)
      const { code, message, inEntries } = read.trouble
      const thrown = Object.assign(new Error(message), { code })
      return TE.left(inEntries ? Failure.external(thrown) : failureOfErrno(thrown))
    }),
  )

/** A small directory is read here, which is soonest; a large one, and any while much is to be read, on a thread. */
const isReadHere = (held: HeldNode): boolean =>
  isSmall(held) && ((reading.areQuiet() && time.isLeft()) || !reading.areReady())

/** What a held directory holds; whole, or a failure. */
export const readListing = (held: HeldNode): TE.TaskEither<Failed, Entry.Listing> =>
  held.stats.isDirectory()
    ? () => (isReadHere(held) ? here(held)() : onThread(held)())
    : TE.left(notADirectory(held.stats))
