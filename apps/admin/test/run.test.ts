import { createRequire } from 'node:module'
import { findPostgres, startPostgres } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, describe, expect, it } from 'vitest'
import { freshCanopy } from './canopyIn.js'

const { Client } = createRequire(import.meta.resolve('@canopy/registry'))('pg')

const others = `
  select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`

// Of SQLite nothing tells from outside that it was closed: its driver keeps the file open until its statements are collected.
describe.each(E.isRight(findPostgres(process.env)) || process.env['CI'] === 'true' ? ['PostgreSQL'] : [])(
  'a command over %s',
  async () => {
    const engine = await startPostgres()
    afterAll(engine.stop)

    it('closes the registry at its end, also when it is refused', async () => {
      const url = await engine.newDatabase()
      const { run } = await freshCanopy({ CANOPY_REGISTRY: url })
      const session = new Client({ connectionString: url })
      await session.connect()
      const commands = [
        { words: 'account create --id 1', exit: 0 },
        { words: 'account create --id 1', exit: 1 },
        { words: 'account list', exit: 0 },
        { words: 'visibility list 2', exit: 1 },
      ]
      for (const { words, exit } of commands) {
        expect({ words, ...(await run(...words.split(' '))) }).toMatchObject({ words, exit })
        // The server needs a moment to see that a connection has ended.
        await expect.poll(async () => (await session.query(others)).rows.length, { message: words }).toBe(0)
      }
      await session.end()
    })
  },
)
