import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { findPostgres, startPostgres, worldWith } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fallbacks, names } from '../../src/config.js'
import { canopyProcess } from '../canopy.js'
import { seedData } from '../seedData.js'
import { serverOver, startServer, temporaryData } from '../startServer.js'
import { makeRoles, postgresql, urlAs } from './postgresqlRoles.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const operations = textOf('docs/operations.md')
const configuration = textOf('docs/configuration.md')

/** The variables of a table, with their defaults. */
const documented = (markdown: string): ReadonlyMap<string, string> =>
  new Map([...markdown.matchAll(/^\| `([A-Z_]+)` +\| (.*?) +\|/gm)].map(([, name = '', value = '']) => [name, value]))

const sorted = (names: Iterable<string>): ReadonlyArray<string> => [...names].sort()

describe('the table of variables', () => {
  it('has the variables of the server', () => {
    expect(sorted(documented(configuration).keys())).toEqual(sorted(names))
  })

  // OpenTelemetry documents the defaults of its own variables.
  it.each([...fallbacks].filter(([name]) => name.startsWith('CANOPY_')))('has the default of %s', (name, value) => {
    expect(documented(configuration).get(name)).toBe(value === '' ? 'none' : `\`${value}\``)
  })
})

// deploy/check-unit.sh and deploy/check-images.sh verify the effects, and need root or a container engine.
it.each([
  ['deploy/Dockerfile', ['USER 1000:1000']],
  [
    'deploy/canopy.service',
    [
      'User=canopy',
      'NoNewPrivileges=yes',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'PrivateTmp=yes',
      'OOMPolicy=continue',
    ],
  ],
])('%s restricts a compromised server', (file, lines) => {
  expect(
    textOf(file)
      .split('\n')
      .map((line) => line.trim()),
  ).toEqual(expect.arrayContaining(lines))
})

/** Runs documented steps in a data directory, without questions. */
const followIn = (data: string, steps: RegExp) => {
  const here = (steps.exec(operations)?.[0] ?? 'exit 1')
    .replaceAll(/^ {4}/gm, '')
    .replaceAll('/var/backups/canopy', join(data, 'copies'))
    .replaceAll('/var/lib/canopy', data)
    .replaceAll(' -o canopy -g canopy', '')
    .replaceAll(/\d{4}-\d\d-\d\d/g, '$(date +%F)')
    .replaceAll('--replace', '--replace --yes')
    .replaceAll(
      'runuser -u canopy -- canopy',
      `CANOPY_DATA=${data} '${process.execPath}' ${join(root, 'apps/admin/bin/canopy.js')}`,
    )
    .replaceAll('runuser -u canopy -- ', '')
  return run('sh', ['-e', '-c', `umask 022\n${here}`], { env: { PATH: process.env['PATH'] } })
}
const makePlace = /^ {4}install .*backups.*\n/m

describe('the backup of a SQLite registry', () => {
  const over = serverOver((data) => canopyProcess(data, ['account', 'create', '--name', 'first']))

  const place = () => join(over.data, 'copies')
  const follow = (steps: RegExp) => followIn(over.data, steps)

  const backUp = /^ {4}runuser .* --to sqlite:.*\n/m
  const restore = /^ {4}runuser .* --from sqlite:.*\n(?: {4}.*\n)+/m

  const peek = (id: string) => over.server.status(`/api/triggers/v1/peek/${id}`)

  it('is one file, made by the documented steps while the server runs', async () => {
    await follow(makePlace)
    await follow(backUp)
    const [name = ''] = await readdir(place())
    expect([name, await readdir(place())]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d\.sqlite$/), [name]])
    expect((await stat(join(place(), name))).mode & 0o777).toBe(0o600)
    await expect(follow(backUp)).rejects.toThrow(/contains a registry .* choose another target/)
  })

  it('is served at once after the documented steps restore it', async () => {
    const [{ id }] = await canopyProcess(over.data, ['trigger', 'create', '--type', 'bell'])
    expect(await peek(id)).toBe(200)
    await follow(restore)
    expect(await peek(id)).toBe(404)
    const [accounts] = await canopyProcess(
      over.data,
      ['account', 'list'],
      ['trigger', 'create', '--type', 'bell', '--id', id],
    )
    expect(accounts).toMatchObject([{ name: 'first' }])
    expect(await peek(id)).toBe(200)
  })
})

// Without PostgreSQL only CI fails.
describe.each(E.isRight(findPostgres(process.env)) || process.env['CI'] === 'true' ? ['PostgreSQL'] : [])(
  'the roles of %s',
  () => {
    let data = ''
    let stop: () => Promise<void>
    let database = ''
    let restored = ''
    beforeAll(async () => {
      data = await temporaryData()
      const engine = await startPostgres()
      stop = engine.stop
      database = await engine.newDatabase()
      restored = await engine.newDatabase()
      await makeRoles(database)
      await seedData(data, worldWith(), urlAs('canopy_admin', database))
    })
    afterAll(async () => {
      await stop()
      await rm(data, { recursive: true })
    })

    const statusWith = async (registry: string): Promise<number> => {
      const server = await startServer({ CANOPY_DATA: data, CANOPY_REGISTRY: registry })
      const status = await server.status('/api/usercontent/v1/tree/id/1')
      await server.end()
      return status
    }

    it('suffice for the command and a server', async () => {
      expect(await statusWith(urlAs('canopy_server', database))).toBe(200)
    })

    it('let a server write nothing, whatever its session sets', async () => {
      const commands = ['set default_transaction_read_only = off', "update accounts set name = 'x'"]
      await expect(
        postgresql('psql', urlAs('canopy_server', database), ...commands.map((command) => `--command=${command}`)),
      ).rejects.toThrow('permission denied for table accounts')
    })

    it('apply to a registry restored from a dump', async () => {
      const dump = join(data, 'registry.dump')
      await postgresql('pg_dump', database, '--format=custom', `--file=${dump}`)
      await postgresql('pg_restore', restored, '--clean', '--if-exists', '--single-transaction', dump)
      expect(await statusWith(urlAs('canopy_server', restored))).toBe(200)
    })
  },
)
