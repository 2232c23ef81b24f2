import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { copyFile, cp, link, mkdir, mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { request } from '@canopy/testkit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { canopyProcess, bin as commandProgram } from './canopy.js'
import { type Server, startServer } from './startServer.js'

const run = promisify(execFile)
const programOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))
const serverProgram = programOf('../dist/main.js')

/** Each test starts some programs. */
const timeout = 240_000

/** After which no answer comes from files that were replaced, in milliseconds. */
const lookMs = 1_000

interface Ended {
  readonly code: number
  readonly text: string
}

/** How a program ends that is expected to refuse its registry. `first` is what starts it, for example in another mount namespace. */
const ended = async (data: string, words: ReadonlyArray<string>, first: ReadonlyArray<string> = []): Promise<Ended> => {
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

/** An account whose root is public, and a token for it: made by commands once, and copied for each test. */
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

const start = async (variables = {}): Promise<Server> => {
  const server = await startServer({ CANOPY_DATA: data, CANOPY_FAILED_LOOKUPS: '0', ...variables })
  started.push(server)
  return server
}

const get = async ({ port }: Server, target: string) => {
  const { status, body } = await request(port, { method: 'GET', target })
  return { status, body: JSON.parse(body.toString()) }
}

const asVisitor = '/api/usercontent/v1/diritems/id/1'

/** What the holder of the token gets, and a visitor. */
const statuses = async (server: Server): Promise<ReadonlyArray<number>> => [
  (await get(server, `/api/storage/v1/diritems/${made.token}`)).status,
  (await get(server, asVisitor)).status,
]

const closeAll = async (): Promise<void> => {
  await canopyProcess(data, ['token', 'revoke', made.tokenId], ['visibility', 'set', '1', '/', 'private'])
}

/** Its log says why the registry is not ready; lines may come later than answers. */
const saysWhy = (server: Server, cause: unknown): Promise<void> =>
  vi.waitFor(
    () => expect(server.lines).toContainEqual(expect.objectContaining({ msg: 'not ready', part: 'registry', cause })),
    10_000,
  )

/** A copy as the operations page makes it. */
const backUp = async (to: string): Promise<void> => {
  const script = `
    const { DatabaseSync } = require('@photostructure/sqlite')
    const [registry, copy] = process.argv.slice(1)
    new DatabaseSync(registry, { readOnly: true }).prepare('vacuum into ?').run(copy)
    new DatabaseSync(copy).exec('pragma journal_mode = wal')`
  await run(process.execPath, ['-e', script, file(), to], { cwd: programOf('../../../packages/registry') })
}

describe('a server whose registry is replaced while it runs', { timeout }, () => {
  const served = async () => {
    const server = await start()
    // In the write-ahead log, since the server has the registry open.
    await canopyProcess(data, ['trigger', 'create', '--type', 'bell', '--id', 'bell'])
    expect(await statuses(server)).toEqual([200, 200])
    return server
  }

  it.each<[string, () => Promise<unknown>]>([
    ['-wal is removed', () => rm(file('-wal'))],
    ['-shm is removed', () => rm(file('-shm'))],
    [
      '-wal and -shm are removed',
      async () => {
        await rm(file('-wal'))
        await rm(file('-shm'))
      },
    ],
  ])('sees what commands write after %s', async (_, change) => {
    const server = await served()
    await change()
    const until = performance.now() + lookMs
    await closeAll()
    await sleep(Math.max(0, until - performance.now()))
    expect(await statuses(server)).toEqual([401, 403])
    await canopyProcess(data, ['visibility', 'set', '1', '/', 'public'])
    expect(await statuses(server)).toEqual([401, 200])
    expect((await get(server, '/readyz')).status).toBe(200)
  })

  it('sees what commands write after -wal is removed, in every process', async () => {
    const server = await start({ CANOPY_WORKERS: '2' })
    // One after the other, so that nothing is shed: each comes on a connection of its own, which is for either process.
    const asked = async () => {
      const all = new Set<number>()
      for (let times = 0; times < 20; times += 1) for (const status of await statuses(server)) all.add(status)
      return all
    }
    expect(await asked()).toEqual(new Set([200]))
    await canopyProcess(data, ['trigger', 'create', '--type', 'bell', '--id', 'bell'])
    await rm(file('-wal'))
    await closeAll()
    await sleep(lookMs)
    expect(await asked()).toEqual(new Set([401, 403]))
    await canopyProcess(data, ['visibility', 'set', '1', '/', 'public'])
    expect(await asked()).toEqual(new Set([401, 200]))
  })

  it.each<[string, () => Promise<unknown>]>([
    ['is removed with all its files', () => Promise.all(['', '-wal', '-shm'].map((suffix) => rm(file(suffix))))],
    [
      'is moved away with all its files',
      () => Promise.all(['', '-wal', '-shm'].map((suffix) => rename(file(suffix), join(home, `old${suffix}`)))),
    ],
    ['is moved away with its directory', () => rename(data, join(home, 'old'))],
  ])('serves nothing after it %s, says so, and serves the one that is made in its place', async (_, change) => {
    const server = await served()
    await change()
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([502, 502])
    await sleep(lookMs)
    expect(await get(server, '/readyz')).toMatchObject({
      status: 503,
      body: { failed: expect.arrayContaining(['registry']) },
    })
    await saysWhy(server, expect.stringMatching(/registry\.sqlite is gone, .*put it back, or restore/))
    await canopyProcess(data, ['account', 'create', '--id', '1', '--verified'])
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([401, 403])
    await canopyProcess(data, ['visibility', 'set', '1', '/', 'public'])
    expect(await statuses(server)).toEqual([401, 200])
  })

  it('serves the copy of a backup within two seconds, without a restart', async () => {
    const server = await served()
    await backUp(join(home, 'copy'))
    await closeAll()
    expect(await statuses(server)).toEqual([401, 403])
    await rename(join(home, 'copy'), file())
    await rm(file('-wal'))
    await rm(file('-shm'))
    await sleep(2 * lookMs)
    expect(await statuses(server)).toEqual([200, 200])
    await closeAll()
    expect(await statuses(server)).toEqual([401, 403])
    expect((await get(server, '/readyz')).status).toBe(200)
  })

  it('serves nothing while the file alone is missing, and no command makes another one beside what is left of it', async () => {
    const server = await served()
    await rename(file(), join(home, 'moved'))
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([502, 502])
    expect(await ended(data, [commandProgram, 'account', 'create'])).toMatchObject({
      code: 1,
      text: expect.stringMatching(/is missing, but -wal or -shm of it is there\. Put it back/),
    })
    await rename(join(home, 'moved'), file())
    await closeAll()
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([401, 403])
  })

  it('serves nothing while the write-ahead log of the old file lies beside the new one, and says what to remove', async () => {
    const server = await served()
    await backUp(join(home, 'copy'))
    await closeAll()
    await rename(join(home, 'copy'), file())
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([502, 502])
    expect(await get(server, '/readyz')).toMatchObject({ status: 503, body: { failed: ['registry'] } })
    await saysWhy(
      server,
      expect.stringMatching(/was replaced, but .*-wal is that of the file before: remove it, and .*-shm$/),
    )
    await rm(file('-wal'))
    await rm(file('-shm'))
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([200, 200])
  })

  it('serves nothing from a file that is no registry, and says why', async () => {
    const server = await served()
    await writeFile(join(home, 'other'), 'x'.repeat(5000))
    await rename(join(home, 'other'), file())
    await rm(file('-wal'))
    await rm(file('-shm'))
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([502, 502])
    expect((await get(server, '/readyz')).body).toMatchObject({ failed: ['registry'] })
    await saysWhy(server, expect.stringContaining('file is not a database'))
  })

  it('serves nothing while the file has a second name, through which other files would be written', async () => {
    const server = await served()
    await link(file(), join(home, 'second.sqlite'))
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([502, 502])
    expect((await get(server, '/readyz')).body).toMatchObject({ failed: ['registry'] })
    await saysWhy(server, expect.stringContaining('has 2 names (hard links)'))
    await rm(join(home, 'second.sqlite'))
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([200, 200])
  })

  it('follows a symbolic link that is set to another registry', async () => {
    const served = join(home, 'served')
    await mkdir(join(home, 'links'))
    await rename(file(), join(home, 'links/old.sqlite'))
    await symlink(join(home, 'links/old.sqlite'), file())
    const server = await start()
    expect(await statuses(server)).toEqual([200, 200])
    await copyFile(join(home, 'links/old.sqlite'), join(home, 'links/new.sqlite'))
    await symlink(join(home, 'links/new.sqlite'), served)
    await rename(served, file())
    await closeAll()
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([401, 403])
  })

  it('is not opened again by any command beside it', async () => {
    const server = await served()
    const openFiles = () =>
      execFileSync('ls', ['-l', `/proc/${server.process.pid}/fd`], { encoding: 'utf8' })
        .split('\n')
        .filter((line) => line.includes('registry.sqlite'))
    const before = openFiles()
    expect(before).toHaveLength(3)
    await canopyProcess(data, ['account', 'list'])
    await canopyProcess(data, ['account', 'create', '--id', '2'])
    await canopyProcess(data, ['doctor'])
    await closeAll()
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([401, 403])
    expect(openFiles()).toEqual(before)
  })
})

describe('a symbolic link to the registry', { timeout }, () => {
  it('is fine: a server that opens it and a command that opens the file see each other', async () => {
    const linked = join(home, 'linked')
    await mkdir(linked)
    await symlink(file(), join(linked, 'registry.sqlite'))
    await symlink(join(data, 'areas'), join(linked, 'areas'))
    const server = await startServer({ CANOPY_DATA: linked })
    started.push(server)
    expect(await statuses(server)).toEqual([200, 200])
    await closeAll()
    expect(await statuses(server)).toEqual([401, 403])
    await canopyProcess(linked, ['visibility', 'set', '1', '/', 'public'])
    expect(await statuses(server)).toEqual([401, 200])
  })
})

/** What a server, its check, `canopy doctor` and a command that writes say of a data directory. */
const refusals = async (at: string, first: ReadonlyArray<string> = []) => {
  const texts: Array<string> = []
  for (const words of [
    [serverProgram],
    [serverProgram, '--check'],
    [commandProgram, 'doctor'],
    [commandProgram, 'account', 'list'],
    [commandProgram, 'trigger', 'create', '--type', 'bell'],
  ]) {
    const { code, text } = await ended(at, words, first)
    texts.push(`${code}: ${text}`)
  }
  return texts
}

const all = (message: RegExp) => Array.from({ length: 5 }, () => expect.stringMatching(message))

describe('a registry whose changes another process may not see', { timeout }, () => {
  it('is refused where its file has two names', async () => {
    const other = join(home, 'other')
    await mkdir(join(other, 'areas'), { recursive: true })
    await link(file(), join(other, 'registry.sqlite'))
    const message = /^1: .*registry\.sqlite has 2 names \(hard links\).*\. Remove the other names, or put a copy/s
    expect(await refusals(other)).toEqual(all(message))
    expect((await ended(data, [serverProgram, '--check'])).text).toMatch(/has 2 names/)
    await rm(join(other, 'registry.sqlite'))
    expect((await ended(data, [serverProgram, '--check'])).code).toBe(0)
  })
})

const inOwnMounts = ['unshare', '--mount', '--propagation', 'private']
const mayMount = spawnSync(inOwnMounts[0] ?? '', [...inOwnMounts.slice(1), 'true']).status === 0
if (!mayMount) console.warn('A registry that is mounted as a single file is not tested: this user may not mount.')

describe.each(mayMount ? ['bind mount'] : [])('a %s', { timeout }, () => {
  it('of the registry alone is refused', async () => {
    const other = join(home, 'an other')
    await mkdir(join(other, 'areas'), { recursive: true })
    await writeFile(join(other, 'registry.sqlite'), '')
    const bound = [...inOwnMounts, 'sh', '-c', 'mount --bind "$1" "$2" && shift 2 && exec "$@"', 'sh']
    expect(await refusals(other, [...bound, file(), join(other, 'registry.sqlite')])).toEqual(
      all(/^1: .*registry\.sqlite is mounted as a single file.*\. Mount the whole directory/s),
    )
  })

  it('of the whole directory is fine', async () => {
    const other = join(home, 'other')
    await mkdir(other)
    const bound = [...inOwnMounts, 'sh', '-c', 'mount --bind "$1" "$2" && shift 2 && exec "$@"', 'sh', data, other]
    expect(await ended(other, [serverProgram, '--check'], bound)).toMatchObject({ code: 0 })
    expect(await ended(other, [commandProgram, 'doctor'], bound)).toMatchObject({ code: 0 })
  })
})

const bindfs = existsSync('/usr/bin/bindfs')
const mayUseFuse = existsSync('/dev/fuse') && process.getuid?.() === 0
if (!bindfs || !mayUseFuse)
  console.warn(
    'A registry on FUSE is not tested. Install the package bindfs (Debian, Ubuntu: apt-get install bindfs), and run this as root.',
  )

// In CI it must be there.
describe.each(mayUseFuse && (bindfs || process.env['CI'] === 'true') ? ['FUSE'] : [])(
  'a data directory on %s',
  { timeout },
  () => {
    it('is refused, also where no registry is there yet', async () => {
      const mounted = join(home, 'mounted')
      await mkdir(mounted)
      await run('bindfs', [data, mounted])
      try {
        const message = /^1: .*registry\.sqlite is on a file system \(FUSE or virtiofs\).*\. Keep it on a local volume/s
        expect(await refusals(mounted)).toEqual(all(message))
        await mkdir(join(mounted, 'new'))
        expect((await ended(join(mounted, 'new'), [commandProgram, 'account', 'create'])).text).toMatch(/FUSE/)
        expect(existsSync(join(data, 'new/registry.sqlite'))).toBe(false)
      } finally {
        await run('umount', [mounted])
      }
    })
  },
)
