import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'

const sha256 = (text) => createHash('sha256').update(text).digest('hex')
const padded = (id) => String(id).padStart(20, '0')

/** `i` from 1 to so many. */
const upTo = (rows) => `with recursive n(i) as (values (1) union all select i + 1 from n where i < ${rows})`

/** The accounts whose tokens we know, evenly among all. */
const known = 100
const knownIds = (rows) =>
  Array.from({ length: known }, (_, index) => 1 + Math.floor((index * (rows - 1)) / (known - 1)))

/**
 * Accounts 1 to `rows`, all of one area, each with a token and a setting; and as many settings in the area of `settled`.
 * The `canopy` command makes such rows one by one, each on the disk before the next. Gives tokens of some accounts.
 */
export const fillRegistry = (data, rows, settled) => {
  const database = new DatabaseSync(join(data, 'registry.sqlite'))
  const tokens = new Map(knownIds(rows).map((id) => [id, `cnp_${randomBytes(32).toString('base64url')}`]))
  database.function('sha256', sha256)
  database.function('padded', padded)
  database.function('token', (id) => tokens.get(id) ?? `nobody knows the token of ${id}`)
  // Keys in their order: that makes an index fastest.
  database.exec(`
    pragma synchronous = off;
    begin;
    insert into accounts (id, name, verified, location) ${upTo(rows)} select padded(i), null, 1, 'shared' from n;
    insert into tokens (sha256, account, scope) ${upTo(rows)} select sha256(token(i)), padded(i), '/' from n order by 1;
    insert into settings (account, path_sha256, path, visibility)
      ${upTo(rows)} select padded(i), sha256('/'), '/', 'public' from n;
    insert into settings (account, path_sha256, path, visibility)
      ${upTo(rows)} select padded(${settled}), sha256('/s/' || i), '/s/' || i, 'private' from n order by 2;
    commit;
    pragma wal_checkpoint(truncate);
  `)
  database.close()
  return tokens
}

/** Changes a row that no request asks for: from then on a server must look everything up again. */
export const openChanger = (data, id) => {
  const database = new DatabaseSync(join(data, 'registry.sqlite'))
  const change = database.prepare('update accounts set name = ? where id = ?')
  let changes = 0
  return {
    change: () => {
      changes += 1
      change.run(`name ${changes}`, padded(id))
    },
    close: () => database.close(),
  }
}
