import { type Area, Failure, type Listing, StoragePath } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { StorageResult } from '../StorageResult.js'
import { errnoOf, withHint } from './errno.js'

/**
 * Names the path in an error of `node:fs`, which names a descriptor or the working directory instead:
 * `EACCES: permission denied, lstat '/proc/7/fd/9/b'` becomes `EACCES: permission denied, lstat '/a/b' in area 'x'`.
 */
const namePath = ({ location }: Area.Area, path: string, cause: unknown): unknown => {
  const place = ` '${path}' in area '${location}'`
  if (!(cause instanceof Error) || cause.message.includes(place)) return cause
  const message = cause.message.replace(/( '.*')?$/s, (name) => (name === '' ? `:${place}` : place))
  return withHint(Object.assign(new Error(message), 'code' in cause ? { code: errnoOf(cause) } : {}))
}

/** Names the path in the cause of an `external` failure. */
export const namePathInFailure = <A>(
  area: Area.Area,
  path: StoragePath.StoragePath,
  answer: StorageResult<A>,
): StorageResult<A> =>
  E.isLeft(answer) && answer.left.error === 'external'
    ? E.left(Failure.external(namePath(area, path, answer.left.cause)))
    : answer

/** Names the path in the cause of a failure, or of the first entry that could not be examined. */
export const namePathInListing = (
  area: Area.Area,
  path: StoragePath.StoragePath,
  answer: StorageResult<Listing.Listing>,
): StorageResult<Listing.Listing> =>
  pipe(
    namePathInFailure(area, path, answer),
    E.map((listing) => {
      if (listing.unknown === undefined) return listing
      const { names, cause } = listing.unknown
      const entry = `${path === StoragePath.root ? '' : path}/${names[0] ?? ''}`
      return { ...listing, unknown: { names, cause: namePath(area, entry, cause) } }
    }),
  )
