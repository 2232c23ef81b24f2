import type { BigIntStats } from 'node:fs'
import { Failure, type Listing } from '@canopy/domain'
import { breathing, turn } from '@canopy/event-loop'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as TE from 'fp-ts/lib/TaskEither.js'
import { errorOf } from './errorOf.js'
import type { HeldNode } from './HeldNode.js'
import { listingOf } from './listingOf.js'
import { ownTime } from './ownTime.js'
import type { Outcome } from './Reader.js'
import { opened, readOn } from './readDirectory.mjs'
import { readers } from './readers.js'

// In bytes, as a directory itself says: some hundred names, and some thousand. A file system that does not say (0) may have
// any number of them.
const smallBytes = 16_384
const largeBytes = 65_536

/** Processes that read for this one. */
export const pool = readers()
const time = ownTime()

const isUpTo = ({ size }: BigIntStats, bytes: number): boolean => size > 0n && size <= bytes

/** Whether the names in a directory are read sooner here than by another process. */
export const isSmall = (stats: BigIntStats): boolean => isUpTo(stats, smallBytes)

/** At once as long as time is left, and then in turn: a process that could read may not have started yet. */
const here =
  ({ reachedBy }: HeldNode, untilAtRest: boolean): TE.TaskEither<Failure.External, Listing.Listing> =>
  async () => {
    if (!time.isLeft()) await turn()
    const open = opened(reachedBy, untilAtRest)
    const breathe = breathing()
    try {
      while (!time.spend(() => readOn(open))) await breathe()
      return E.right(await listingOf(open.parts))
    } catch (thrown) {
      return E.left(Failure.external(thrown))
    }
  }

const foundElsewhere = (outcome: Outcome): TE.TaskEither<Failure.External, Listing.Listing> =>
  'parts' in outcome
    ? TE.tryCatch(() => listingOf(outcome.parts), Failure.external)
    : TE.left(Failure.external(errorOf(outcome.trouble)))

const elsewhere = (held: HeldNode, untilAtRest: boolean): TE.TaskEither<Failure.External, Listing.Listing> =>
  pipe(
    TE.tryCatch(() => pool.read(held.reachedBy, untilAtRest), Failure.external),
    TE.flatMap(O.match(() => here(held, untilAtRest), foundElsewhere)),
  )

/**
 * Another process reads at half the cost and holds up nobody; only the way there and back makes a small directory sooner
 * read here, as long as nobody else reads and this thread has not read enough lately. A large one waits for its start.
 */
const isReadHere = (stats: BigIntStats): boolean =>
  (isSmall(stats) && pool.areQuiet() && time.isLeft()) || (isUpTo(stats, largeBytes) && !pool.areReady())

/**
 * What a held directory holds; whole, or a failure. Read once; or until it is at rest, so that the listing is what it held
 * at one moment, even while it is being changed. What is held is there, so whatever stops the reading is `external`.
 */
export const readListing = (
  held: HeldNode,
  stats: BigIntStats,
  untilAtRest: boolean,
): Promise<E.Either<Failure.External, Listing.Listing>> => (isReadHere(stats) ? here : elsewhere)(held, untilAtRest)()
