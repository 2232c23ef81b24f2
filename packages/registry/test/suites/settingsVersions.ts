import { Settings } from '@canopy/domain'
import { busyFor, countTicks } from '@canopy/test-support'
import * as O from 'fp-ts/lib/Option.js'
import * as RA from 'fp-ts/lib/ReadonlyArray.js'
import { type Kysely, type KyselyPlugin, type RawBuilder, sql } from 'kysely'
import { describe, expect, it } from 'vitest'
import { openRegistryWriter, type RegistryWriter } from '../../src/admin/RegistryWriter.js'
import type { ReadDatabase } from '../../src/Database.js'
import { readPostgresql } from '../../src/postgresql.js'
import { registryOver } from '../../src/Registry.js'
import type { RegistryUrl } from '../../src/RegistryUrl.js'
import { sha256Hex } from '../../src/rows.js'
import type { Schema } from '../../src/Schema.js'
import { readSqlite } from '../../src/sqlite.js'
import { type Running, rawDatabase } from '../engines.js'
import { forThisTest, opened, patient, right } from '../right.js'
import { newAccount, newTrigger, one, path, rowsOfOne, rowsOfTwo, rule, two, unknown, without } from '../values.js'

const reading = (url: RegistryUrl): ReadDatabase => {
  const database = url.engine === 'SQLite' ? readSqlite(url.path) : readPostgresql(url.connectionString, patient)
  forThisTest(database.db)
  return database
}

interface Count {
  queries: number
  /** Runs before the result of the query with this number is returned. */
  readonly beforeAnswer: Map<number, () => Promise<unknown>>
}

const counting = (count: Count): KyselyPlugin => ({
  transformQuery: ({ node }) => node,
  transformResult: async ({ result }) => {
    count.queries += 1
    await count.beforeAnswer.get(count.queries)?.()
    return result
  },
})

interface Server {
  readonly writer: RegistryWriter
  readonly raw: Kysely<Schema>
  readonly count: Count
  readonly settings: (of: typeof one) => Promise<Settings.Settings>
}

const initial = [
  [one, '/a'],
  [one, '/b'],
  [two, '/a'],
] as const

const initialRules = [
  [one, [rule('*.a'), rule('*.b')]],
  [two, [rule('*.a')]],
] as const

const patternsOf = (settings: Settings.Settings) =>
  Settings.rules(settings).map(({ pattern, visibility }) => `${pattern} ${visibility}`)

/** A server with two accounts that have settings and rules, and one without. */
const server = async (running: () => Running, look: (server: Server) => Promise<void>): Promise<void> => {
  const url = await running().newRegistry()
  const writer = await opened(openRegistryWriter(url))
  for (const id of [one, two, without]) await right(writer.accounts.create(newAccount({ id })))
  for (const [id, at] of initial) await right(writer.settings.set(id, path(at), 'private'))
  for (const [id, rules] of initialRules) await right(writer.rules.add(id, rules))
  const raw = forThisTest(await rawDatabase(url))
  const [database, count] = [reading(url), { queries: 0, beforeAnswer: new Map() }]
  const counted = (db: Kysely<Schema>) => db.withPlugin(counting(count))
  const snapshot: ReadDatabase['snapshot'] = (read) => database.snapshot((db) => read(counted(db)))
  const port = registryOver({ ...database, db: counted(database.db), snapshot }).settingsOf
  await look({ writer, raw, count, settings: (of) => right(port(of)) })
}

type ByHand = readonly [change: string, statement: RawBuilder<unknown>, changed: ReadonlyArray<typeof one>]

const both: ReadonlyArray<ByHand> = [
  [
    'rows inserted for several accounts',
    sql`insert into settings select account, 'c', '/c', 'hidden' from settings where path = '/a'`,
    [one, two],
  ],
  [
    'a row inserted that was there',
    sql`insert into settings select * from settings where account = ${rowsOfOne}
      on conflict (account, path_sha256) do update set visibility = 'hidden'`,
    [one],
  ],
  [
    'a row given to another account',
    sql`update settings set account = ${rowsOfTwo} where account = ${rowsOfOne} and path = '/b'`,
    [one, two],
  ],
  ['all rows deleted', sql`delete from settings`, [one, two]],
  ['an account deleted', sql`delete from accounts where id = ${rowsOfOne}`, [one]],
]

const values = sql`(account, path_sha256, path, visibility) values (${rowsOfOne}, 'c', '/c', 'hidden')`

/** SQL statements of each engine, and the accounts whose settings they change. Rules have the same triggers. */
const byHand: Readonly<Record<RegistryUrl['engine'], ReadonlyArray<ByHand>>> = {
  SQLite: [
    ...both,
    ['a row inserted or replaced', sql`insert or replace into settings ${values}`, [one]],
    ['a row inserted or ignored', sql`insert or ignore into settings ${values}`, [one]],
    [
      'a row of another account replaced',
      sql`update or replace settings set account = ${rowsOfTwo} where account = ${rowsOfOne} and path = '/a'`,
      [one, two],
    ],
    ['an account replaced', sql`insert or replace into accounts select * from accounts where id = ${rowsOfOne}`, [one]],
  ],
  PostgreSQL: [
    ...both,
    ['the table emptied', sql`truncate settings`, [one, two]],
    ['the table of accounts emptied', sql`truncate accounts cascade`, [one, two]],
  ],
}

const visibilities = (settings: Settings.Settings) => [
  ...new Set(Array.from(Settings.entries(settings), ([, visibility]) => visibility)),
]

export const settingsHaveVersions = (engine: RegistryUrl['engine'], running: () => Running): void => {
  describe('settings are read', () => {
    it.each([
      ['with', one],
      ['without', without],
      ['unknown, so without', unknown],
    ])('once until they change, by the same number of queries for an account %s settings', (_, id) =>
      server(running, async ({ writer, count, settings }) => {
        const first = await settings(id)
        expect(count.queries).toBe(2)
        expect(await settings(id)).toBe(first)
        expect(count.queries).toBe(2)
        await right(writer.settings.set(two, path('/a'), 'public'))
        await right(writer.rules.add(two, [rule('*.c')]))
        await right(writer.accounts.update(one, { verified: false }))
        await right(writer.triggers.create(newTrigger('t')))
        for (const _ of [1, 2]) expect(await settings(id)).toBe(first)
        // Only the version was read again.
        expect(count.queries).toBe(3)
      }),
    )

    it.each(byHand[engine])('again after SQL: %s', (_, statement, changed) =>
      server(running, async ({ writer, raw, settings }) => {
        const all = [one, two, without, unknown]
        const before = await Promise.all(all.map(settings))
        await statement.execute(raw)
        const after = await Promise.all(all.map(settings))
        const same = after.map((now, i) => now === before[i])
        expect(same).toEqual(all.map((id) => !changed.includes(id)))
        const accounts = await right(writer.accounts.all)
        const plain = (of: Settings.Settings | undefined) => of && [new Map(Settings.entries(of)), patternsOf(of)]
        for (const { id } of accounts)
          expect(plain(await right(writer.settings.of(id)))).toEqual(plain(after[all.indexOf(id)]))
      }),
    )

    it('again after the restore of a backup and as many changes as before', () =>
      server(running, async ({ writer, raw, settings }) => {
        const versions = () => raw.selectFrom('settings_versions').selectAll().where('account', '=', rowsOfOne)
        const backup = await versions().executeTakeFirstOrThrow()
        await right(writer.settings.set(one, path('/c'), 'public'))
        expect(Settings.ownAt(await settings(one), path('/c'))).toEqual(O.some('public'))
        await right(writer.settings.remove(one, path('/c')))
        await raw.updateTable('settings_versions').set(backup).where('account', '=', rowsOfOne).execute()
        await right(writer.settings.set(one, path('/c'), 'hidden'))
        expect(Settings.ownAt(await settings(one), path('/c'))).toEqual(O.some('hidden'))
      }))

    const many = 3500
    /** Gives the second account so many settings that they are read in batches. */
    const addMany = async (raw: Kysely<Schema>) => {
      // With the least and the greatest key.
      const keys = ['', ...Array.from({ length: many - 2 }, (_, n) => sha256Hex(`/${n}`)), 'z']
      const own = { account: rowsOfTwo, visibility: 'private' }
      const rows = keys.map((path_sha256, n) => ({ ...own, path_sha256, path: `/${n}` }))
      await raw.deleteFrom('settings').where('account', '=', rowsOfTwo).execute()
      for (const part of RA.chunksOf(1000)(rows)) await raw.insertInto('settings').values(part).execute()
    }

    it('in batches without blocking the event loop', () =>
      server(running, async ({ raw, count, settings }) => {
        await addMany(raw)
        const rounds = countTicks()
        const answeredIn: Array<number> = []
        // The version, the first rows, and four batches: PostgreSQL declares a cursor first, SQLite answers row by row.
        const batches = engine === 'SQLite' ? [3, 1003, 2003, 3003] : [4, 5, 6, 7]
        for (const query of [1, 2, ...batches])
          count.beforeAnswer.set(count.queries + query, async () => {
            answeredIn.push(rounds.count())
            busyFor(2)
          })
        const read = await settings(two)
        rounds.stop()
        expect(answeredIn).toHaveLength(6)
        expect(new Set(answeredIn.slice(2)).size).toBe(4)
        expect(new Set(Array.from(Settings.entries(read), ([at]) => at))).toEqual(
          new Set(Array.from({ length: many }, (_, n) => path(`/${n}`))),
        )
      }))

    it.each<[string, number, (raw: Kysely<Schema>) => Promise<void>]>([
      ['few', 2, async () => undefined],
      ['many', 3, addMany],
    ])('%s in one state with their rules, and the next request sees a change', (_, query, add) =>
      server(running, async ({ raw, count, settings }) => {
        await add(raw)
        count.beforeAnswer.set(count.queries + query, () =>
          raw.transaction().execute(async (tx) => {
            await tx.updateTable('settings').set({ visibility: 'public' }).where('account', '=', rowsOfTwo).execute()
            await tx.updateTable('rules').set({ pattern: 'new' }).where('account', '=', rowsOfTwo).execute()
          }),
        )
        const states = []
        for (const _ of ['during the change', 'after it']) {
          const read = await settings(two)
          states.push([...visibilities(read), ...patternsOf(read)])
        }
        expect(states).toEqual([
          ['private', '*.a private'],
          ['public', 'new private'],
        ])
      }),
    )

    it('once for all waiting callers while they change, and other accounts do not wait', () =>
      server(running, async ({ raw, count, settings }) => {
        await addMany(raw)
        const change = () =>
          raw.updateTable('settings').set({ visibility: 'hidden' }).where('account', '=', rowsOfTwo).execute()
        const asked: Array<Promise<Settings.Settings>> = []
        const before = count.queries
        // During the read, after its first batch.
        count.beforeAnswer.set(before + 3, async () => {
          for (let n = 0; n < 5; n += 1) {
            await change()
            asked.push(settings(two))
            expect(Settings.size(await settings(one))).toBe(2)
          }
        })
        await settings(two)
        const read = await Promise.all(asked)
        for (const settings of read) expect(visibilities(settings)).toEqual(['hidden'])
        expect(new Set(read).size).toBe(1)
      }))

    it('again after a change that is partly rolled back', () =>
      server(running, async ({ raw, settings }) => {
        const [before, others] = [await settings(one), await settings(two)]
        const start = await raw.startTransaction().execute()
        const change = await start.savepoint('deleted').execute()
        await change.deleteFrom('settings').execute()
        await change.rollbackToSavepoint('deleted').execute()
        for (const visibility of ['public', 'hidden'])
          await start.updateTable('settings').set({ visibility }).where('account', '=', rowsOfOne).execute()
        await start.commit().execute()
        expect(visibilities(before)).toEqual(['private'])
        expect(visibilities(await settings(one))).toEqual(['hidden'])
        expect(await settings(two)).toBe(others)
      }))
  })
}
