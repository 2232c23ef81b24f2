import { sql } from 'kysely'
import { padded } from '../src/rows.js'
import { user } from './values.js'

export const [one, two, without, unknown] = [user('1'), user('2'), user('3'), user('4')]
export const [rowsOfOne, rowsOfTwo] = [padded(one), padded(two)]

/** The tables that a version of the settings covers. `a` and `b` are names of initial rows. */
const tables = {
  settings: { key: 'path_sha256', columns: 'path_sha256, path', row: "'c', '/c'", name: 'path', a: '/a', b: '/b' },
  rules: { key: 'pattern', columns: 'pattern', row: "'c'", name: 'pattern', a: '*.a', b: '*.b' },
} as const

/** SQL statements on a table, and the accounts whose settings they change. */
const statementsOn = (table: keyof typeof tables) => {
  const { key, columns, row, name, a, b } = tables[table]
  const statement = (text: string) =>
    sql.raw(text.replaceAll('ONE', `'${rowsOfOne}'`).replaceAll('TWO', `'${rowsOfTwo}'`))
  const values = `(account, ${columns}, visibility) values (ONE, ${row}, 'hidden')`
  const both = {
    'rows inserted for several accounts': [
      statement(`insert into ${table} select account, ${row}, 'hidden' from ${table} where ${name} = '${a}'`),
      [one, two],
    ],
    'a row inserted that was there': [
      statement(`insert into ${table} select account, ${columns}, visibility from ${table} where account = ONE
        on conflict (account, ${key}) do update set visibility = 'hidden'`),
      [one],
    ],
    'a row given to another account': [
      statement(`update ${table} set account = TWO where account = ONE and ${name} = '${b}'`),
      [one, two],
    ],
    'all rows deleted': [statement(`delete from ${table}`), [one, two]],
  } as const
  return {
    SQLite: {
      ...both,
      'a row inserted or replaced': [statement(`insert or replace into ${table} ${values}`), [one]],
      'a row inserted or ignored': [statement(`insert or ignore into ${table} ${values}`), [one]],
      'a row of another account replaced': [
        statement(`update or replace ${table} set account = TWO where account = ONE and ${name} = '${a}'`),
        [one, two],
      ],
    },
    PostgreSQL: { ...both, 'the table emptied': [statement(`truncate ${table}`), [one, two]] },
  } as const
}

export const byHand = { settings: statementsOn('settings'), rules: statementsOn('rules') } as const

const deleted = [sql`delete from accounts where id = ${rowsOfOne}`, [one]] as const

/** Statements on accounts. */
export const accountsByHand = {
  SQLite: {
    'an account deleted': deleted,
    'an account replaced': [sql`insert or replace into accounts select * from accounts where id = ${rowsOfOne}`, [one]],
  },
  PostgreSQL: {
    'an account deleted': deleted,
    'the table of accounts emptied': [sql`truncate accounts cascade`, [one, two]],
  },
} as const
