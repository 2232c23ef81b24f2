import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { worldWith } from '@canopy/test-support'
import { afterAll, describe, expect, it } from 'vitest'
import { canopyProcess } from '../canopy.js'
import { hasPostgres } from '../registries.js'
import { seedData } from '../seedData.js'
import { dataOf, serverOver, startServer } from '../startServer.js'
import { postgresql, postgresWithRoles, urlAs } from './postgresqlRoles.js'

// deploy/check-unit.sh and deploy/check-images.sh verify the effects, and need root or a container engine.
it.each([
  ['Dockerfile', ['USER 1000:1000']],
  [
    'canopy.service',
    [
      'User=canopy',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'PrivateTmp=yes',
      'OOMPolicy=continue',
    ],
  ],
])('deploy/%s restricts a compromised server', (file, lines) => {
  const text = readFileSync(new URL(`../../../../deploy/${file}`, import.meta.url), 'utf8')
  expect(text.split('\n').map((line) => line.trim())).toEqual(expect.arrayContaining(lines))
})

describe('a copy of a SQLite registry', () => {
  const over = serverOver((data) => canopyProcess(data, ['account', 'create', '--name', 'first']))

  it('is served at once after it was restored beside a running server', async () => {
    const peek = (id: string) => over.server.status(`/api/triggers/v1/peek/${id}`)
    const copy = `sqlite:${join(over.data, 'copy.sqlite')}`
    const createTrigger = ['trigger', 'create', '--type', 'bell', '--id', 'bell']
    await canopyProcess(over.data, ['registry', 'copy', '--to', copy], createTrigger)
    expect(await peek('bell')).toBe(200)
    await canopyProcess(over.data, ['registry', 'copy', '--from', copy, '--replace', '--yes'])
    expect(await peek('bell')).toBe(404)
    const [accounts] = await canopyProcess(over.data, ['account', 'list'], createTrigger)
    expect(accounts).toMatchObject([{ name: 'first' }])
    expect(await peek('bell')).toBe(200)
  })
})

describe.runIf(hasPostgres)('the roles of PostgreSQL', () => {
  let postgres: Awaited<ReturnType<typeof postgresWithRoles>>
  const over = dataOf(async (data) => {
    postgres = await postgresWithRoles()
    await seedData(data, worldWith(), postgres.admin)
  })
  afterAll(() => postgres.stop())

  it('forbid a server to write, whatever its session sets', async () => {
    const commands = ['set default_transaction_read_only = off', "update accounts set name = 'x'"]
    await expect(
      postgresql('psql', postgres.server, ...commands.map((command) => `--command=${command}`)),
    ).rejects.toThrow('permission denied for table accounts')
  })

  it('suffice for a server over a registry restored from a dump', async () => {
    const [dump, restored] = [join(over.data, 'registry.dump'), await postgres.newDatabase()]
    await postgresql('pg_dump', postgres.database, '--format=custom', `--file=${dump}`)
    await postgresql('pg_restore', restored, '--clean', '--if-exists', '--single-transaction', dump)
    const variables = { CANOPY_DATA: over.data, CANOPY_REGISTRY: urlAs('canopy_server', restored) }
    const server = await startServer(variables)
    expect(await server.status('/api/usercontent/v1/tree/id/1')).toBe(200)
    await server.end()
  })
})
