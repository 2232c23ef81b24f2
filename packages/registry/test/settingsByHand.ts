import { sql } from 'kysely'
import { padded } from '../src/rows.js'
import { user } from './values.js'

export const [one, two, without, unknown] = [user('1'), user('2'), user('3'), user('4')]
export const [rowsOfOne, rowsOfTwo] = [padded(one), padded(two)]

const values = sql`(account, path_sha256, path, visibility) values (${rowsOfOne}, 'c', '/c', 'public')`

/** Hand-written statements, and the accounts whose settings each changes. */
const byHand = {
  'a row inserted': [sql`insert into settings ${values}`, [one]],
  'rows inserted for several accounts': [
    sql`insert into settings select account, 'c', '/c', 'public' from settings where path = '/a'`,
    [one, two],
  ],
  'rows updated': [sql`update settings set visibility = 'hidden' where account = ${rowsOfOne}`, [one]],
  'a row inserted that was there': [
    sql`insert into settings select account, path_sha256, path, visibility from settings where account = ${rowsOfOne}
      on conflict (account, path_sha256) do update set visibility = 'hidden'`,
    [one],
  ],
  'a row given to another account': [
    sql`update settings set account = ${rowsOfTwo} where account = ${rowsOfOne} and path = '/b'`,
    [one, two],
  ],
  'rows deleted': [sql`delete from settings where account = ${rowsOfOne}`, [one]],
  'all rows deleted': [sql`delete from settings`, [one, two]],
  'an account deleted': [sql`delete from accounts where id = ${rowsOfOne}`, [one]],
} as const

/** For each engine. */
export const byHandIn = {
  SQLite: {
    ...byHand,
    'a row inserted or replaced': [sql`insert or replace into settings ${values}`, [one]],
    'a row inserted or ignored': [sql`insert or ignore into settings ${values}`, [one]],
    'a row of another account replaced': [
      sql`update or replace settings set account = ${rowsOfTwo} where account = ${rowsOfOne} and path = '/a'`,
      [one, two],
    ],
    'an account replaced': [sql`insert or replace into accounts select * from accounts where id = ${rowsOfOne}`, [one]],
  },
  PostgreSQL: {
    ...byHand,
    'the table emptied': [sql`truncate settings`, [one, two]],
    'the table of accounts emptied': [sql`truncate accounts cascade`, [one, two]],
  },
} as const
