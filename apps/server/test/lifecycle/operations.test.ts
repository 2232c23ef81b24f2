import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { findPostgres, startPostgres, worldWith } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { fallbacks, names } from '../../src/config.js'
import { httpServer } from '../../src/http/connections.js'
import { firstByteMs, portMs } from '../../src/start.js'
import { canopyProcess } from '../canopy.js'
import { seedData } from '../seedData.js'
import { serverOver, startServer, temporaryData } from '../startServer.js'
import { makeRoles, postgresql, urlAs } from './postgresqlRoles.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../../../', import.meta.url))
const textOf = (path: string): string => readFileSync(join(root, path), 'utf8')
const operations = textOf('docs/operations.md')
const configuration = textOf('docs/configuration.md')
const limits = textOf('docs/limits.md')

/** The variables of a table, with their defaults. */
const documented = (markdown: string): ReadonlyMap<string, string> =>
  new Map([...markdown.matchAll(/^\| `([A-Z_]+)` +\| (.*?) +\|/gm)].map(([, name = '', value = '']) => [name, value]))

const sorted = (names: Iterable<string>): ReadonlyArray<string> => [...names].sort()

describe('the table of variables', () => {
  it('holds exactly those that the server knows', () => {
    expect(sorted(documented(configuration).keys())).toEqual(sorted(names))
  })

  // What OpenTelemetry's own are where they are not set, is its own to say.
  it.each([...fallbacks].filter(([name]) => name.startsWith('CANOPY_')))(
    'says what the server takes where %s is not set',
    (name, value) => {
      expect(documented(configuration).get(name)).toBe(value === '' ? 'none' : `\`${value}\``)
    },
  )

  const { headersTimeout, requestTimeout } = httpServer(() => undefined, { maxConnections: 1, idleMs: 65_000 }).server

  it.each([
    ['head of a request', `within ${headersTimeout / 1000} seconds`],
    ['body of a request', `within ${requestTimeout / 1000} seconds`],
    ['first byte of an answer', `${firstByteMs / 1000} seconds;`],
    ['one call of the storage or the registry', `${portMs / 1000} seconds;`],
  ])('says of a limit that has no variable what the server holds to: %s', (what, how) => {
    const row = limits.split('\n').find((line) => line.startsWith(`| ${what}`))
    expect(row).toContain(how)
  })
})

// That it holds is seen by deploy/check-unit.sh and deploy/check-images.sh, which need root or a container engine.
it.each([
  ['deploy/Dockerfile', ['USER 1000:1000']],
  ['deploy/compose.yaml', ['read_only: true', 'cap_drop: [ALL]', 'security_opt: ["no-new-privileges:true"]']],
  [
    'deploy/canopy.service',
    ['User=canopy', 'NoNewPrivileges=yes', 'CapabilityBoundingSet=', 'ProtectSystem=strict', 'PrivateTmp=yes'],
  ],
])('what a compromised server may do is little, by %s', (file, lines) => {
  expect(
    textOf(file)
      .split('\n')
      .map((line) => line.trim()),
  ).toEqual(expect.arrayContaining(lines))
})

it.each(['scripts/start.sh', 'docs/operations.md', 'deploy/canopy.service', 'deploy/Dockerfile'])(
  'the start of the server needs no option of Node, in %s',
  (file) => {
    const start = /\bnode\b((?:(?!\bnode\b).)*?)[\w/]*server\/dist\/main\.js(?!["',\s]*--(?:check|health))/g
    const between = [...textOf(file).matchAll(start)].map(([, words = '']) => words.replaceAll(/["',\s]/g, ''))
    expect(between).toEqual([''])
  },
)

it('the unit of systemd stops no other worker when the kernel kills one for lack of memory', () => {
  expect(textOf('deploy/canopy.service').split('\n')).toContain('OOMPolicy=continue')
})

it('the unit of systemd waits longer than the server takes to stop', () => {
  const seconds = Number(/^TimeoutStopSec=(\d+)$/m.exec(textOf('deploy/canopy.service'))?.[1])
  const most = documented(configuration).get('CANOPY_STOP_MS')?.replaceAll('`', '')
  expect(seconds * 1000).toBeGreaterThan(Number(most) + 8_000)
})

describe('the steps of an installation', () => {
  const check = textOf('deploy/check-unit.sh')
  const steps = [...operations.matchAll(/(?<=\n\n)(?: {4}.+\n)+/g)].map(([step]) => step.replaceAll(/^ {4}/gm, ''))

  it('stand in an order in which each finds what it needs, and once', () => {
    const commands = steps.join('').split('\n')
    const order = [
      'ln -sfn /opt/canopy/releases/1 /opt/canopy/current',
      "install -m 0755 /dev/stdin /usr/local/bin/canopy <<'END'",
      'useradd --system --home-dir /var/lib/canopy --shell /usr/sbin/nologin canopy',
      'install -d -m 0755 /etc/canopy',
      'install -d -m 0750 -o canopy -g canopy /var/lib/canopy',
      "install -m 0640 -g canopy /dev/stdin /etc/canopy/canopy.env <<'END'",
      'runuser -u canopy -- canopy account create --name Photos --verified',
      'cp deploy/canopy.service /etc/systemd/system/',
      'systemctl enable --now canopy',
    ]
    expect(commands.filter((command) => order.includes(command))).toEqual(order)
  })

  it('are those that the check of the unit takes, in their order', () => {
    const begins = [...check.matchAll(/step '([^']+)'/g)].map(([, begin = '']) => begin)
    const taken = begins.map((begin) => steps.filter((step) => step.startsWith(begin)))
    expect(taken.map(({ length }) => length)).toEqual([1, 1, 1, 1])
    expect(steps.filter((step) => taken.flat().includes(step))).toEqual(taken.flat())
  })
})

it('the images are built on exact versions, which the documentation names', () => {
  const images = (file: string, mark: RegExp) => [...textOf(file).matchAll(mark)].map(([, image = '']) => image)
  const bases = images('deploy/Dockerfile', /^ARG NODE=(.*)$/gm)
  expect(bases).toEqual([expect.stringMatching(/^node:\d+\.\d+\.\d+-\w+-slim$/)])
  expect(images('deploy/Dockerfile', /^FROM (?!\$\{NODE\} AS|base AS)(.*)$/gm)).toEqual([])
  const others = images('deploy/compose.yaml', /^ +image: (.*)$/gm)
  expect(others).toEqual([expect.stringMatching(/^postgres:\d+\.\d+-\w+$/)])
  expect(operations).toContain(`docker pull ${bases[0]}`)
})

const { DatabaseSync } = createRequire(import.meta.resolve('@canopy/registry'))('@photostructure/sqlite')

/** An index that does not hold what its table holds. */
const damage = (path: string): void => {
  const registry = new DatabaseSync(path, { defensive: false })
  registry.exec(`pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, '("account")', '("scope")') where name = 'tokens_by_account'`)
  registry.close()
}

/** Steps that the documentation says, here, as one who need not be asked. */
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
  const moveAway = /^ {4}cd \/var\/lib\/canopy\n(?: {4}.*\n)+/m

  const peek = (id: string) => over.server.status(`/api/triggers/v1/peek/${id}`)

  it('is a whole registry in one file, taken as the documentation says, while the server runs', async () => {
    await follow(makePlace)
    await follow(backUp)
    const [name = ''] = await readdir(place())
    expect([name, await readdir(place())]).toEqual([expect.stringMatching(/^\d{4}-\d\d-\d\d\.sqlite$/), [name]])
    expect((await stat(join(place(), name))).mode & 0o777).toBe(0o600)
    await expect(follow(backUp)).rejects.toThrow(/holds a registry .* choose a place without a registry/)
  })

  it('is served at once when it is restored as the documentation says, by the server that runs', async () => {
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

  it('is not made of a registry that is damaged, which is moved away before an older copy is restored', async () => {
    const [{ id }] = await canopyProcess(over.data, ['trigger', 'create', '--type', 'bell'], ['token', 'issue', '1'])
    damage(join(over.data, 'registry.sqlite'))
    await rename(place(), join(over.data, 'older'))
    await mkdir(place())
    await expect(follow(backUp)).rejects.toThrow(/is damaged, so it is not copied: row 1 missing from index/)
    expect(await readdir(place())).toEqual([])
    await rm(place(), { recursive: true })
    await rename(join(over.data, 'older'), place())
    await follow(moveAway)
    await follow(restore)
    await expect.poll(() => peek(id)).toBe(404)
    expect(await canopyProcess(over.data, ['account', 'list'])).toMatchObject([[{ name: 'first' }]])
  })
})

const hasSqlite3 = spawnSync('sqlite3', ['-version']).status === 0

describe('the upgrade of a SQLite registry that commit 11d3c82e made', () => {
  let data = ''
  beforeEach(async () => {
    data = await temporaryData()
    const fixture = join(root, 'packages/registry/test/fixtures/11d3c82e.sqlite.gz')
    await writeFile(join(data, 'registry.sqlite'), gunzipSync(readFileSync(fixture)))
    await mkdir(join(data, 'areas/1/photos'), { recursive: true })
  })
  afterEach(() => rm(data, { recursive: true }))

  it('makes a server of this version serve its tokens, settings and triggers', async () => {
    const [migrated] = await canopyProcess(data, ['registry', 'migrate'])
    expect(migrated).toEqual({ migrations: expect.arrayContaining(['0007_rules']) })
    const server = await startServer({ CANOPY_DATA: data })
    onTestFinished(async () => void (await server.end('SIGKILL')))
    const targets = [
      '/readyz',
      '/api/storage/v1/diritems/cnp_4e3Rf-VtI3lAdXLnFFH3DBxNPgB2tdb2OaXDnVqLCMg/photos',
      '/api/usercontent/v1/tree/id/1/photos',
      '/api/triggers/v1/peek/bell',
    ]
    expect(await Promise.all(targets.map(server.status))).toEqual(targets.map(() => 200))
    expect(await server.status('/api/usercontent/v1/tree/id/1/photos/%C3%BC')).toBe(403)
  })

  // In CI it must be there.
  it.runIf(hasSqlite3 || process.env['CI'] === 'true')('can be undone with the backup that the page says', async () => {
    await followIn(data, makePlace)
    await followIn(data, /^ {4}runuser .*sqlite3 .*\n/m)
    await canopyProcess(data, ['registry', 'migrate'])
    const backup = new DatabaseSync(join(data, 'copies/before.sqlite'), { readOnly: true })
    onTestFinished(() => backup.close())
    expect(backup.prepare('select max(name) as last from canopy_migration').get()).toMatchObject({
      last: '0005_settings_versions',
    })
    expect(backup.prepare('select id from triggers').all()).toMatchObject([{ id: 'bell' }])
  })
})

describe('the command for operators', () => {
  let directory = ''
  beforeAll(async () => {
    directory = await temporaryData()
    await chmod(directory, 0o755)
  })
  afterAll(() => rm(directory, { recursive: true }))

  const wrapper = /^ {4}#!\/bin\/sh\n(?: {4}(?!END$).*\n)+/m.exec(operations)?.[0] ?? ''
  const adminLine = /\/etc\/canopy\/admin\.env +(CANOPY_REGISTRY=\S+)/.exec(configuration)?.[1] ?? ''
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {}

  /** As a user who is not root; the program is one that shows which registry it would open. */
  const canopyAsDocumented = (...words: ReadonlyArray<string>) => {
    const script = wrapper
      .replaceAll(/^ {4}/gm, '')
      .replaceAll('/etc/canopy', directory)
      .replace(/^exec node .*$/m, 'exec printenv CANOPY_REGISTRY')
    const env = { PATH: process.env['PATH'], CANOPY_REGISTRY: 'of the servers' }
    return run('sh', ['-c', script, 'canopy', ...words], { env, ...user })
  }

  it('takes the registry of admin.env, also with a "&" in its URL', async () => {
    await writeFile(join(directory, 'admin.env'), `${adminLine.replace('@db/canopy', '@db/canopy?a=1&b=2')}\n`)
    await chmod(join(directory, 'admin.env'), 0o644)
    expect((await canopyAsDocumented('account', 'list')).stdout).toBe('postgres://canopy_admin:...@db/canopy?a=1&b=2\n')
  })

  it('takes that of the servers, whose role can only read, where it may not read admin.env', async () => {
    await writeFile(join(directory, 'admin.env'), adminLine)
    await chmod(join(directory, 'admin.env'), 0)
    expect((await canopyAsDocumented('account', 'list')).stdout).toBe('of the servers\n')
    await rm(join(directory, 'admin.env'), { force: true })
    expect((await canopyAsDocumented('account', 'list')).stdout).toBe('of the servers\n')
  })
})

// Where PostgreSQL is installed; in CI it must be.
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

    it('are enough for the command and for a server', async () => {
      expect(await statusWith(urlAs('canopy_server', database))).toBe(200)
    })

    it('let a server write nothing, whatever its session says', async () => {
      const commands = ['set default_transaction_read_only = off', "update accounts set name = 'x'"]
      await expect(
        postgresql('psql', urlAs('canopy_server', database), ...commands.map((command) => `--command=${command}`)),
      ).rejects.toThrow('permission denied for table accounts')
    })

    it('hold for a registry that is restored from a dump', async () => {
      const dump = join(data, 'registry.dump')
      await postgresql('pg_dump', database, '--format=custom', `--file=${dump}`)
      await postgresql('pg_restore', restored, '--clean', '--if-exists', '--single-transaction', dump)
      expect(await statusWith(urlAs('canopy_server', restored))).toBe(200)
    })
  },
)
