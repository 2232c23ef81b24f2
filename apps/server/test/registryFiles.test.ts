import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, cp, link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { canopyProcess, bin as commandProgram } from './canopy.js'
import { bindfs } from './fuseMounts.js'
import { type Server, main as serverProgram, startServer } from './startServer.js'

const run = promisify(execFile)

/** Each test starts some programs. */
const timeout = 240_000

/** After this time no answer comes from replaced files, in milliseconds. */
const lookMs = 1_000

/** Exit code and output of a program that refuses its registry. `first` starts it, for example in a mount namespace. */
const ended = async (data: string, words: ReadonlyArray<string>, first: ReadonlyArray<string> = []) => {
  const [program = '', ...parameters] = [...first, process.execPath, ...words]
  return run(program, parameters, {
    env: { PATH: process.env['PATH'], CANOPY_DATA: data, CANOPY_PORT: '0' },
    timeout: 60_000,
  }).then(
    ({ stdout, stderr }) => ({ code: 0, text: stdout + stderr }),
    ({ code, stdout, stderr }) => ({ code, text: stdout + stderr }),
  )
}

let home = ''
let data = ''
const started: Array<Server> = []

const file = (suffix = ''): string => join(data, `registry.sqlite${suffix}`)
const removeLog = () => Promise.all(['-wal', '-shm'].map((suffix) => rm(file(suffix))))

/** A public account and a token: created once, copied for each test. */
const made = { data: '', token: '', tokenId: '' }

beforeAll(async () => {
  made.data = await mkdtemp(join(tmpdir(), 'canopy-files-'))
  const [, , issued] = await canopyProcess(
    made.data,
    ['account', 'create', '--id', '1', '--verified'],
    ['visibility', 'set', '1', '/', 'public'],
    ['token', 'issue', '1'],
  )
  Object.assign(made, issued)
  await writeFile(join(made.data, 'areas/1/a.txt'), 'abc')
})
afterAll(() => rm(made.data, { recursive: true, force: true }))
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'canopy-files-'))
  data = join(home, 'data')
  await cp(made.data, data, { recursive: true })
})
afterEach(async () => {
  for (const server of started.splice(0)) await server.end()
  await rm(home, { recursive: true, force: true })
})

const start = async (variables: Readonly<Record<string, string>> = {}): Promise<Server> => {
  const server = await startServer({ CANOPY_DATA: data, CANOPY_FAILED_LOOKUPS: '0', ...variables })
  started.push(server)
  return server
}

const statuses = async (server: Server): Promise<ReadonlyArray<number>> => [
  await server.status(`/api/storage/v1/diritems/${made.token}`),
  await server.status('/api/usercontent/v1/diritems/id/1'),
]

const makePublic = () => canopyProcess(data, ['visibility', 'set', '1', '/', 'public'])
const closeAll = () =>
  canopyProcess(data, ['token', 'revoke', made.tokenId], ['visibility', 'set', '1', '/', 'private'])

const backUp = async (to: string): Promise<void> => {
  const script = `
    const { DatabaseSync } = require('@photostructure/sqlite')
    const [registry, copy] = process.argv.slice(1)
    new DatabaseSync(registry, { readOnly: true }).prepare('vacuum into ?').run(copy)
    new DatabaseSync(copy).exec('pragma journal_mode = wal')`
  const cwd = fileURLToPath(new URL('../../../packages/registry', import.meta.url))
  await run(process.execPath, ['-e', script, file(), to], { cwd })
}

describe('a server whose registry is replaced while it runs', { timeout }, () => {
  const served = async (variables = {}) => {
    const server = await start(variables)
    // In the write-ahead log, since the server has the registry open.
    await canopyProcess(data, ['trigger', 'create', '--type', 'bell', '--id', 'bell'])
    expect(await statuses(server)).toEqual([200, 200])
    return server
  }

  /** Statuses of both processes: either accepts a connection. */
  const allStatuses = async (server: Server) => {
    const all: Array<ReadonlyArray<number>> = []
    for (let times = 0; times < 20; times += 1) all.push(await statuses(server))
    return [...new Set(all.map(String))]
  }

  it.each<[string, string, () => Promise<unknown>]>([
    ['-wal is removed', '2', () => rm(file('-wal'))],
    ['-wal and -shm are removed', '1', removeLog],
  ])('sees what commands write after %s, in each of %s process(es)', async (_, workers, change) => {
    const server = await served({ CANOPY_WORKERS: workers })
    expect(await allStatuses(server)).toEqual(['200,200'])
    await change()
    const until = performance.now() + lookMs
    await closeAll()
    await sleep(Math.max(0, until - performance.now()))
    expect(await allStatuses(server)).toEqual(['401,403'])
    await makePublic()
    expect(await allStatuses(server)).toEqual(['401,200'])
    expect(await server.status('/readyz')).toBe(200)
  })

  const makeAnother = () => canopyProcess(data, ['account', 'create', '--id', '1', '--verified'])
  const gone = /registry\.sqlite is gone, .*put it back, or restore/

  it.each<[string, () => Promise<unknown>, RegExp, () => Promise<unknown>, ReadonlyArray<number>]>([
    ['is removed with all its files', () => Promise.all([rm(file()), removeLog()]), gone, makeAnother, [401, 403]],
    [
      'is replaced, and the write-ahead log of the old file left',
      async () => {
        await backUp(join(home, 'copy'))
        await closeAll()
        await rename(join(home, 'copy'), file())
      },
      /was replaced, but .*-wal belongs to the previous file: remove it, and .*-shm$/,
      removeLog,
      [200, 200],
    ],
    [
      'is replaced by what is no registry',
      async () => {
        await backUp(join(home, 'copy'))
        await writeFile(join(home, 'other'), 'x'.repeat(5000))
        await rename(join(home, 'other'), file())
        await removeLog()
      },
      /file is not a database/,
      () => rename(join(home, 'copy'), file()),
      [200, 200],
    ],
  ])('serves nothing while it %s, and recovers', async (_, damage, why, repair, after) => {
    const server = await served()
    await damage()
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([502, 502])
    await vi.waitFor(async () => {
      const { status, body } = await server.get('/readyz')
      expect([status, JSON.parse(String(body)).failed]).toEqual([503, expect.arrayContaining(['registry'])])
      const line = { msg: 'not ready', part: 'registry', cause: expect.stringMatching(why) }
      expect(server.lines).toContainEqual(expect.objectContaining(line))
    }, 10_000)
    await repair()
    await sleep(lookMs)
    expect(await statuses(server)).toEqual(after)
    await makePublic()
    expect((await statuses(server))[1]).toBe(200)
  })

  it('follows a symbolic link to another registry', async () => {
    await mkdir(join(home, 'links'))
    await rename(file(), join(home, 'links/old.sqlite'))
    await symlink(join(home, 'links/old.sqlite'), file())
    const server = await start()
    expect(await statuses(server)).toEqual([200, 200])
    await copyFile(join(home, 'links/old.sqlite'), join(home, 'links/new.sqlite'))
    await symlink(join(home, 'links/new.sqlite'), join(home, 'served'))
    await rename(join(home, 'served'), file())
    await closeAll()
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([401, 403])
  })
})

describe('a registry whose changes other processes may miss', { timeout }, () => {
  const expectRefused = async (message: RegExp, at: string, first: ReadonlyArray<string> = []) => {
    for (const words of [
      [serverProgram],
      [serverProgram, '--check'],
      [commandProgram, 'doctor'],
      [commandProgram, 'trigger', 'create', '--type', 'bell'],
    ]) {
      const { code, text } = await ended(at, words, first)
      expect([words, code, text]).toEqual([words, 1, expect.stringMatching(message)])
    }
  }

  const otherDirectory = async (): Promise<string> => {
    const other = join(home, 'an other')
    await mkdir(join(other, 'areas'), { recursive: true })
    return other
  }

  it('is refused if its file has two names', async () => {
    const other = await otherDirectory()
    await link(file(), join(other, 'registry.sqlite'))
    await expectRefused(/registry\.sqlite has 2 names \(hard links\).*\. Remove the other names, or put a copy/s, other)
    expect((await ended(data, [serverProgram, '--check'])).text).toMatch(/has 2 names/)
    await rm(join(other, 'registry.sqlite'))
    expect((await ended(data, [serverProgram, '--check'])).code).toBe(0)
  })

  const inOwnMounts = ['--mount', '--propagation', 'private']
  const mayBind = spawnSync('unshare', [...inOwnMounts, 'true']).status === 0
  if (!mayBind) console.warn('A registry that is mounted as a single file is not tested: this user may not mount.')
  /** Runs in a mount namespace, with the first mounted on the second. */
  const bound = ['unshare', ...inOwnMounts, 'sh', '-c', 'mount --bind "$1" "$2" && shift 2 && exec "$@"', 'sh']

  it.runIf(mayBind)('is refused if its file alone is a bind mount', async () => {
    const other = await otherDirectory()
    expect(await ended(other, [serverProgram, '--check'], [...bound, data, other])).toMatchObject({ code: 0 })
    await writeFile(join(other, 'registry.sqlite'), '')
    const message = /registry\.sqlite is mounted as a single file.*\. Mount the whole directory/s
    await expectRefused(message, other, [...bound, file(), join(other, 'registry.sqlite')])
  })

  const mayUseFuse = existsSync('/dev/fuse') && process.getuid?.() === 0
  if (!existsSync(bindfs) || !mayUseFuse)
    console.warn(
      'A registry on FUSE is not tested. Install the package bindfs (Debian, Ubuntu: apt-get install bindfs), and run this as root.',
    )

  // In CI it must be there.
  it.runIf(mayUseFuse && (existsSync(bindfs) || process.env['CI'] === 'true'))('is refused on FUSE', async () => {
    const mounted = join(home, 'mounted')
    await mkdir(mounted)
    await run(bindfs, [data, mounted])
    try {
      const message = /registry\.sqlite is on a file system \(FUSE or virtiofs\).*\. Keep it on a local volume/s
      await expectRefused(message, mounted)
      await mkdir(join(mounted, 'new'))
      expect((await ended(join(mounted, 'new'), [commandProgram, 'account', 'create'])).text).toMatch(/FUSE/)
    } finally {
      await run('umount', [mounted])
    }
  })
})
