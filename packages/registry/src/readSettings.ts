import { type Failure, type Rule, Settings, type StoragePath, type Visibility } from '@canopy/domain'
import { singleFlight } from '@canopy/scheduling'
import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import type { Kysely } from 'kysely'
import { batchSize, type ReadDatabase } from './Database.js'
import * as Row from './rows.js'
import type { Schema } from './Schema.js'

export type ReadSettings = E.Either<Failure.External, Settings.Settings>

/** Runs one query. Rejects if it fails; `left` if a row does not decode. */
export const readSettings = async (db: Kysely<Schema>, account: string): Promise<ReadSettings> =>
  decodeSettings([await settingsQuery(db, account).execute()])

/** Returns a function like `readSettings` that reads many settings in batches, once for concurrent callers. */
export const settingsReader = (database: ReadDatabase): ((account: string) => Promise<ReadSettings>) => {
  const { snapshot, batches } = database
  /** Limits reads of an account to one running and one queued, even while its settings change all the time. */
  const flight = singleFlight<ReadSettings>()
  return async (account) => {
    const rows = await settingsQuery(database.db, account).limit(batchSize).execute()
    if (rows.length < batchSize) return decodeSettings([rows])
    // One statement for a million settings could exceed PostgreSQL's statement timeout.
    return flight(account, () => snapshot((db) => decodeSettings(batches(db, settingsQuery(db, account)))))
  }
}

/** Reads both tables in one statement: the result is consistent, and its time does not reveal whether an area has rules. */
const settingsQuery = (db: Kysely<Schema>, account: string) =>
  db
    .selectFrom('settings')
    .select(({ lit }) => ['path', lit(null).$castTo<string | null>().as('pattern'), 'visibility'])
    .where('account', '=', account)
    .unionAll(({ selectFrom }) =>
      selectFrom('rules')
        .select(({ lit }) => [lit(null).$castTo<string>().as('path'), 'pattern', 'visibility'])
        .where('account', '=', account),
    )

type SettingRows = Readonly<Awaited<ReturnType<ReturnType<typeof settingsQuery>['execute']>>>

/** Fails on the first invalid row: without one of its settings or rules, an area would show hidden nodes. */
const decodeSettings = async (batches: Iterable<SettingRows> | AsyncIterable<SettingRows>): Promise<ReadSettings> => {
  const visibilities = new Map<StoragePath.StoragePath, Visibility.Visibility>()
  const rules: Array<Rule> = []
  for await (const rows of batches)
    for (const row of rows)
      if (row.pattern === null) {
        const setting = Row.decodeSetting(row)
        if (E.isLeft(setting)) return setting
        const { path, visibility } = setting.right
        // Another program may repeat a path under different keys. One row could silently override the operator's setting.
        if (visibilities.has(path)) return E.left(Row.notWrittenByCanopy('settings.path_sha256'))
        visibilities.set(path, visibility)
      } else {
        const rule = Row.decodeRule(row)
        if (E.isLeft(rule)) return rule
        rules.push(rule.right)
      }
  return pipe(
    Settings.addRules(Settings.fromMap(visibilities), rules),
    E.fromOption(() => Row.notWrittenByCanopy('rules.pattern')),
  )
}
