// The messages between this process and its reader processes.
import type { Area, Entry, Listing, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import type { StorageRoot } from '../StorageRoot.js'
import type { Answer } from './openEntry.js'
import { type Packed, PackedEntries } from './PackedEntries.js'
import { errorOf, failureOf, type PlainCause, type PlainFailure, plain, plainCause } from './PlainFailure.js'

export interface ListQuestion {
  readonly ask: 'list'
  readonly area: Area.Area
  readonly path: StoragePath.StoragePath
  readonly isSnapshot: boolean
}

export type Question =
  | ListQuestion
  | { readonly ask: 'nodeAt'; readonly area: Area.Area; readonly path: StoragePath.StoragePath }
  | { readonly ask: 'reachable' }

/** A reader process answers the questions in order. */
export interface Batch {
  readonly number: number
  readonly root: StorageRoot
  readonly questions: ReadonlyArray<Question>
}

/** Sent to a reader process when the client of a question has left. */
export interface Cancel {
  readonly batch: number
  readonly cancelled: number
}

/** Answers, each with the index of its question. */
export interface Replies {
  readonly replies: ReadonlyArray<readonly [number, Reply]>
}

export type Found = Entry.Node | Listing.Listing | null
export type Reply = E.Either<PlainFailure, Entry.Node | PlainListing | null>

interface PlainListing {
  readonly packed: Packed
  readonly unlistable: number
  readonly unknown: { readonly names: Listing.Unknown['names']; readonly cause: PlainCause } | undefined
}

const plainListing = ({ entries, unlistable, unknown }: Listing.Listing): PlainListing => {
  if (!(entries instanceof PackedEntries)) throw new Error('a listing of files is packed')
  return {
    packed: entries.packed,
    unlistable,
    unknown: unknown && { names: unknown.names, cause: plainCause(unknown.cause) },
  }
}

export const replyOf: (answer: Answer<Found>) => Reply = E.bimap(plain, (found) =>
  found !== null && 'entries' in found ? plainListing(found) : found,
)

/** Copies the arrays, because they are views of the whole message and would keep it in memory. */
const listingOf = ({ packed, unlistable, unknown }: PlainListing): Listing.Listing => ({
  entries: new PackedEntries({ ...packed, starts: packed.starts.slice(), numbers: packed.numbers.slice() }),
  unlistable,
  unknown: unknown && { names: unknown.names, cause: errorOf(unknown.cause) },
})

export const answerOf: (reply: Reply) => Answer<Found> = E.bimap(failureOf, (found) =>
  found !== null && 'packed' in found ? listingOf(found) : found,
)
