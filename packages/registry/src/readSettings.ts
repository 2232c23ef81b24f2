import { type Failure, type Rule, Rules, Settings, type StoragePath, type Visibility } from '@canopy/domain'
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
  decodeSettings(await settingsQuery(db, account).execute())

/** Returns a function like `readSettings` that reads many settings in batches, once for concurrent callers. */
export const settingsReader = (database: ReadDatabase): ((account: string) => Promise<ReadSettings>) => {
  /** Limits reads of an account to one running and one queued, even while its settings change all the time. */
  const flight = singleFlight<ReadSettings>()
  return async (account) => {
    const rows = await settingsQuery(database.db, account).limit(batchSize).execute()
    return rows.length < batchSize ? decodeSettings(rows) : flight(account, () => readInBatches(database, account))
  }
}

/** Reads in batches, because one statement for a million settings could exceed PostgreSQL's statement timeout. */
const readInBatches = ({ snapshot, batches }: ReadDatabase, account: string): Promise<ReadSettings> =>
  snapshot(async (db) => {
    const all = nothingDecoded()
    for await (const rows of batches(db, settingsQuery(db, account))) {
      const added = addRows(all, rows)
      if (E.isLeft(added)) return added
    }
    return toSettings(all)
  })

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

interface Decoded {
  readonly visibilities: Map<StoragePath.StoragePath, Visibility.Visibility>
  readonly rules: Array<Rule>
}

const nothingDecoded = (): Decoded => ({ visibilities: new Map(), rules: [] })

const decodeSettings = (rows: SettingRows): ReadSettings => pipe(addRows(nothingDecoded(), rows), E.flatMap(toSettings))

/** Another program may repeat a path under different keys. One row could silently override the operator's setting. */
const duplicatePath = Row.notWrittenByCanopy('settings.path_sha256')

/** Fails on the first invalid row: without one of its settings or rules, an area would show hidden nodes. */
const addRows = (all: Decoded, rows: SettingRows): E.Either<Failure.External, Decoded> => {
  const { visibilities, rules } = all
  const before = visibilities.size + rules.length
  for (const row of rows) {
    if (row.pattern === null) {
      const setting = Row.decodeSetting(row)
      if (E.isLeft(setting)) return setting
      visibilities.set(setting.right.path, setting.right.visibility)
    } else {
      const rule = Row.decodeRule(row)
      if (E.isLeft(rule)) return rule
      rules.push(rule.right)
    }
  }
  return visibilities.size + rules.length < before + rows.length ? E.left(duplicatePath) : E.right(all)
}

const toSettings = ({ visibilities, rules }: Decoded): ReadSettings =>
  pipe(
    Rules.fromRules(rules),
    E.fromOption(() => Row.notWrittenByCanopy('rules.pattern')),
    E.map((within) => Settings.withRules(within)(Settings.fromMap(visibilities))),
  )
