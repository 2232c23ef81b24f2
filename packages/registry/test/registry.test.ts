import { afterAll, beforeAll, describe } from 'vitest'
import { engines, type Running } from './engines.js'
import { registriesAreCopied } from './suites/copying.js'
import { failoverIsFollowed } from './suites/failover.js'
import { lawsHold } from './suites/laws.js'
import { writersTakeTurns } from './suites/manyWriters.js'
import { poolersServe } from './suites/poolers.js'
import { postgresqlIsRead } from './suites/postgresql.js'
import { serversRead } from './suites/reading.js'
import { settingsHaveVersions } from './suites/settingsVersions.js'
import { registriesAreUpgraded } from './suites/upgrades.js'
import { schemasHaveVersions } from './suites/versions.js'
import { operatorsWrite } from './suites/writing.js'

// One file for all that needs PostgreSQL, so that it is started once.
describe.each(engines)('a registry in $name', ({ name, start }) => {
  const started: { engine?: Running } = {}
  const running = (): Running => {
    if (started.engine === undefined) throw new Error('the engine is not running')
    return started.engine
  }
  beforeAll(async () => {
    started.engine = await start()
  })
  afterAll(async () => {
    await started.engine?.stop()
  })

  // First: a standby begins with a copy of every database.
  if (name === 'PostgreSQL') failoverIsFollowed(running)
  lawsHold(running)
  serversRead(running)
  operatorsWrite(running)
  writersTakeTurns(running)
  registriesAreCopied(running)
  schemasHaveVersions(running)
  registriesAreUpgraded(running)
  settingsHaveVersions(name, running)
  if (name === 'PostgreSQL') {
    postgresqlIsRead(running)
    poolersServe(running)
  }
})
