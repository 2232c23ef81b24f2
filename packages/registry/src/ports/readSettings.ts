import type { Failure, Settings, StoragePath, Visibility } from '@canopy/domain'
import { breathing } from '@canopy/event-loop'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import type * as TE from 'fp-ts/lib/TaskEither.js'
import type { Kysely } from 'kysely'
import { attempt } from '../attempt.js'
import { notWrittenByCanopy } from '../rows/notWrittenByCanopy.js'
import { decodeSettings } from '../rows/SettingRow.js'
import type { Schema } from '../Schema.js'

/** Rows in the order of their key, beginning after one. */
const rowsAfter = (db: Kysely<Schema>, account: string, key: O.Option<string>, atMost: number) => {
  const all = db
    .selectFrom('settings')
    .select(['path_sha256', 'path', 'visibility'])
    .where('account', '=', account)
    .orderBy('path_sha256')
    .limit(atMost)
  return attempt(() => (O.isNone(key) ? all : all.where('path_sha256', '>', key.value)).execute())
}

/** By the key of a row that somebody else wrote: the other one could undo what an operator sets. */
const twoOfOnePath = notWrittenByCanopy('settings.path_sha256')

/**
 * The settings of an account, so many rows at a stretch, and other work in between: SQLite answers on this thread, and
 * an area may have a million of them. More than one stretch is of no single moment: it is for the caller to see that
 * nothing has changed meanwhile. Left if they cannot be read, and right of left if they do not decode.
 */
export const readSettings =
  (
    db: Kysely<Schema>,
    account: string,
    rowsAtAStretch: number,
  ): TE.TaskEither<Failure.External, E.Either<Failure.External, Settings.Settings>> =>
  async () => {
    const breathe = breathing()
    const settings = new Map<StoragePath.StoragePath, Visibility.Visibility>()
    let key: O.Option<string> = O.none
    let read = 0
    for (;;) {
      const rows = await rowsAfter(db, account, key, rowsAtAStretch)()
      if (E.isLeft(rows)) return rows
      const decoded = decodeSettings(rows.right)
      if (E.isLeft(decoded)) return E.right(decoded)
      for (const { path, visibility } of decoded.right) settings.set(path, visibility)
      read += rows.right.length
      if (settings.size < read) return E.right(E.left(twoOfOnePath))
      if (rows.right.length < rowsAtAStretch) return E.right(E.right(settings))
      key = pipe(
        RA.last(rows.right),
        O.map((row) => row.path_sha256),
      )
      await breathe()
    }
  }
