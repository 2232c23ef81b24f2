import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { worldWith } from '@canopy/test-support'
import { afterAll, describe, expect, it } from 'vitest'
import { postgresIsTested, postgresql, postgresWithRoles, urlAs } from '../registries.js'
import { dataOf, seedData, serverOfTest } from '../startServer.js'

// deploy/check-unit.sh and deploy/check-images.sh verify the effects, and need root or a container engine.
const unit =
  'User=canopy, NoNewPrivileges=yes, CapabilityBoundingSet=, ProtectSystem=strict, PrivateTmp=yes, OOMPolicy=continue'

it.each([
  ['Dockerfile', 'USER 1000:1000'],
  ['canopy.service', unit],
])('deploy/%s restricts a compromised server', (file, lines) => {
  const text = readFileSync(new URL(`../../../../deploy/${file}`, import.meta.url), 'utf8')
  expect(text.split('\n').map((line) => line.trim())).toEqual(expect.arrayContaining(lines.split(', ')))
})

describe.runIf(postgresIsTested)('the roles of PostgreSQL', () => {
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
    const { status } = await serverOfTest(variables)
    expect(await status('/api/usercontent/v1/tree/id/1')).toBe(200)
  })
})
