import { type RawBuilder, sql } from 'kysely'
import type { RegistryUrl } from '../src/RegistryUrl.js'
import { padded } from '../src/rows.js'
import { user } from './values.js'

export const [one, two, without, unknown] = [user('1'), user('2'), user('3'), user('4')]
export const [rowsOfOne, rowsOfTwo] = [padded(one), padded(two)]

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
export const byHand: Readonly<Record<RegistryUrl['engine'], ReadonlyArray<ByHand>>> = {
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
