// What docs/scale.md says of registries: `node bench/scale.mjs [--rows N]`, after a build. Needs PostgreSQL.
import { spawnSync } from 'node:child_process'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { findPostgres, startPostgres } from '@canopy/test-support'
import { canopy, createPublic, startCanopy } from './canopy.mjs'
import { ask } from './http.mjs'
import { closedLoop } from './load.mjs'
import { residentNow } from './memory.mjs'
import { plantFiles } from './plant.mjs'
import { fillRegistry } from './registryRows.mjs'
import { openScratch } from './scratch.mjs'

const { values } = parseArgs({ options: { rows: { type: 'string', default: '250000' } } })
const rows = Number(values.rows)
const settled = 20_000_000
const byUser = (id) => `/api/usercontent/v1/diritems/id/${id}`
const say = (what, figure) => console.log(`${what}: ${figure}`)

const scratch = openScratch()
const data = join(scratch.directory, 'data')
mkdirSync(data)
const run = canopy(data)
await createPublic(run, `${settled}`)
for (const area of ['shared', `${settled}`]) await plantFiles(join(data, 'areas', area), 10)
fillRegistry(data, rows, settled)
const all = 4 * rows
say(`SQLite, bytes a row of ${all}`, Math.round(statSync(join(data, 'registry.sqlite')).size / all))

const timed = async (what, ...words) => {
  const began = performance.now()
  await run(...words)
  say(what, `${((performance.now() - began) / 1000).toFixed(1)} s`)
}
const postgres = await startPostgres()
const url = await postgres.newDatabase()
const psql = (query) =>
  spawnSync(join(findPostgres(process.env).right, 'psql'), [url, '-Atc', query], { encoding: 'utf8' }).stdout.trim()

const servers = []
try {
  await timed(`copy of ${all} rows to SQLite`, 'registry', 'copy', '--to', `sqlite:${join(scratch.directory, 'copy')}`)
  await timed(`copy of ${all} rows to PostgreSQL`, 'registry', 'copy', '--to', url)
  say('PostgreSQL, bytes a row', Math.round(Number(psql('select pg_database_size(current_database())')) / all))

  const server = await startCanopy(data)
  servers.push(server)
  await ask(server.port, byUser(1))
  await sleep(3_000)
  const before = residentNow(server.pid)
  await ask(server.port, byUser(settled))
  await sleep(3_000)
  say('memory a setting of an area in use, bytes', Math.round(((residentNow(server.pid) - before) * 1e6) / rows))

  // A connection tells how often it was asked when it ends.
  const asked = () => Number(psql('select xact_commit from pg_stat_database where datname = current_database()'))
  const load = closedLoop()
  for (const connections of [1, 64]) {
    const before = asked()
    const over = await startCanopy(data, { CANOPY_REGISTRY: url })
    servers.push(over)
    const began = performance.now()
    const perSecond = await load({ port: over.port, path: byUser(1), seconds: 5, connections })
    const seconds = (performance.now() - began) / 1000
    await over.stop()
    await sleep(1_000)
    const questions = Math.round((asked() - before) / seconds)
    say(`${connections} connections`, `${Math.round(perSecond)} requests/s, ${questions} questions/s to PostgreSQL`)
  }
} finally {
  await Promise.all(servers.map(({ stop }) => stop()))
  await postgres.stop()
  scratch.remove()
}
