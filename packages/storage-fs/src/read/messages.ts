// The messages between this process and its reader processes.
import type { Area, Entry, Failure, Listing, OpenedFile, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { errnoOf } from '../resolve/errno.js'
import type { StorageResult } from '../StorageResult.js'
import type { StorageRoot } from '../StorageRoot.js'
import { type Packed, PackedEntries } from './PackedEntries.js'

interface Address {
  readonly area: Area.Area
  readonly path: StoragePath.StoragePath
}

export interface ListQuestion extends Address {
  readonly ask: 'list'
  readonly isSnapshot: boolean
}

/** A file has the number of the question that opened it. */
export type Question =
  | ListQuestion
  | ({ readonly ask: 'nodeAt' | 'open' } & Address)
  | { readonly ask: 'reachable' }
  | { readonly ask: 'read'; readonly file: number; readonly start: bigint; readonly end: bigint }
  | { readonly ask: 'close'; readonly file: number }

/** A reader process answers the questions of a message in order. */
export interface Questions {
  readonly root: StorageRoot
  readonly questions: ReadonlyArray<readonly [number: number, Question]>
}

/** Sent to a reader process when the client of a question has left. */
export interface Cancel {
  readonly cancelled: number
}

/** Answers, each with the number of its question. */
export type Replies = ReadonlyArray<readonly [number: number, Reply]>

export type FileFacts = Pick<OpenedFile, 'size' | 'last_modified' | 'version'>

export type Found = Entry.Node | Listing.Listing | FileFacts | Uint8Array | null
export type Reply = E.Either<PlainFailure, Exclude<Found, Listing.Listing> | PlainListing>

/** A failure that passes between processes. */
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

const errorOf = ({ code, message }: PlainCause): Error => Object.assign(new Error(message), code && { code })

const plainListing = ({ entries, unlistable, unknown }: Listing.Listing): PlainListing => {
  if (!(entries instanceof PackedEntries)) throw new Error('a listing of files is packed')
  return {
    packed: entries.packed,
    unlistable,
    unknown: unknown && { names: unknown.names, cause: plainCause(unknown.cause) },
  }
}

export const replyOf: (answer: StorageResult<Found>) => Reply = E.bimap(
  (failure): PlainFailure =>
    failure.error === 'external' ? { error: failure.error, cause: plainCause(failure.cause) } : failure,
  (found) => (found !== null && 'entries' in found && 'unlistable' in found ? plainListing(found) : found),
)

/** Copies the arrays, because they are views of the whole message and would keep it in memory. */
const listingOf = ({ packed, unlistable, unknown }: PlainListing): Listing.Listing => ({
  entries: new PackedEntries({ ...packed, starts: packed.starts.slice(), numbers: packed.numbers.slice() }),
  unlistable,
  unknown: unknown && { names: unknown.names, cause: errorOf(unknown.cause) },
})

export const answerOf: (reply: Reply) => StorageResult<Found> = E.bimap(
  (failure): Failure.OfStorage =>
    failure.error === 'external' ? { error: failure.error, cause: errorOf(failure.cause) } : failure,
  (found) => (found !== null && 'packed' in found ? listingOf(found) : found),
)
