// The messages between this process and its reader processes.
import { type Area, type Entry, Failure, type Listing, type StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { errnoOf } from '../resolve/decode.js'
import type { StorageRoot } from '../StorageRoot.js'
import type { Answer } from './DirectReader.js'
import { type Packed, PackedEntries } from './PackedEntries.js'

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

type PlainFailure =
  | Exclude<Failure.OfStorage, Failure.External>
  | { readonly error: 'external'; readonly cause: PlainCause }

/** The plain form of an `Error`, which would lose its code between processes. */
interface PlainCause {
  /** Such as `EACCES`; empty if it is not an error of the system. */
  readonly code: string
  readonly message: string
}

interface PlainListing {
  readonly packed: Packed
  readonly unlistable: number
  readonly unknown: { readonly names: Listing.Unknown['names']; readonly cause: PlainCause } | undefined
}

const plainCause = (cause: unknown): PlainCause => ({
  code: errnoOf(cause),
  message: cause instanceof Error ? cause.message : String(cause),
})

const plainListing = ({ entries, unlistable, unknown }: Listing.Listing): PlainListing => {
  if (!(entries instanceof PackedEntries)) throw new Error('a listing of files is packed')
  return {
    packed: entries.packed,
    unlistable,
    unknown: unknown && { names: unknown.names, cause: plainCause(unknown.cause) },
  }
}

export const replyOf: (answer: Answer<Found>) => Reply = E.bimap(
  (failure) => (failure.error === 'external' ? { ...failure, cause: plainCause(failure.cause) } : failure),
  (found) => (found !== null && 'entries' in found ? plainListing(found) : found),
)

const errorOf = ({ code, message }: PlainCause): Error => Object.assign(new Error(message), code && { code })

/** Copies the arrays, because they are views of the whole message and would keep it in memory. */
const listingOf = ({ packed, unlistable, unknown }: PlainListing): Listing.Listing => ({
  entries: new PackedEntries({ ...packed, starts: packed.starts.slice(), numbers: packed.numbers.slice() }),
  unlistable,
  unknown: unknown && { names: unknown.names, cause: errorOf(unknown.cause) },
})

export const answerOf: (reply: Reply) => Answer<Found> = E.bimap(
  (failure) => (failure.error === 'external' ? Failure.external(errorOf(failure.cause)) : failure),
  (found) => (found !== null && 'packed' in found ? listingOf(found) : found),
)
