import { copyFile, cp, link, mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { temporaryDirectory } from '@canopy/test-support'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { canopyProcess, bin as commandProgram } from './canopy.js'
import { fuseIsTested, fuseMount, inOwnMounts, mayMount } from './mounts.js'
import { dataOf, outputOf, type Server, serverOfTest, main as serverProgram } from './startServer.js'

const timeout = 240_000

/** After this time no answer comes from replaced files, in milliseconds. */
const lookMs = 1_000

let home = ''
let data = ''
const issued = { token: '', tokenId: '' }

/** A public account and a token: created once, copied for each test. */
const made = dataOf(async (original) => {
  const [, , token] = await canopyProcess(
    original,
    ['account', 'create', '--id', '1', '--verified'],
    ['visibility', 'set', '1', '/', 'public'],
    ['token', 'issue', '1'],
  )
  Object.assign(issued, token)
})
beforeEach(async () => {
  home = temporaryDirectory(onTestFinished)
  data = join(home, 'data')
  await cp(made.data, data, { recursive: true })
})

const file = (suffix = ''): string => join(data, `registry.sqlite${suffix}`)
const remove = (...suffixes: ReadonlyArray<string>) => Promise.all(suffixes.map((suffix) => rm(file(suffix))))

const statuses = async (server: Server): Promise<ReadonlyArray<number>> => [
  await server.status(`/api/storage/v1/diritems/${issued.token}`),
  await server.status('/api/usercontent/v1/diritems/id/1'),
]

const start = async (variables = {}): Promise<Server> => {
  const server = await serverOfTest({ CANOPY_DATA: data, CANOPY_FAILED_LOOKUPS: '0', ...variables })
  // Stays in the write-ahead log, because the server has the registry open.
  await canopyProcess(data, ['trigger', 'create', '--type', 'bell', '--id', 'bell'])
  expect(await statuses(server)).toEqual([200, 200])
  return server
}

const makePublic = () => canopyProcess(data, ['visibility', 'set', '1', '/', 'public'])
const closeAll = () =>
  canopyProcess(data, ['token', 'revoke', issued.tokenId], ['visibility', 'set', '1', '/', 'private'])
const backUp = () => canopyProcess(data, ['registry', 'copy', '--to', `sqlite:${home}/copy`])

describe('a server whose registry is replaced while it runs', { timeout }, () => {
  /** Statuses of both processes: either accepts a connection. */
  const allStatuses = async (server: Server) => {
    const all: Array<ReadonlyArray<number>> = []
    for (let times = 0; times < 20; times += 1) all.push(await statuses(server))
    return [...new Set(all.map(String))]
  }

  it.each([
    ['-wal', '2'],
    ['-wal and -shm', '1'],
  ])('sees changes after the removal of %s, in each of %s process(es)', async (suffixes, workers) => {
    const server = await start({ CANOPY_WORKERS: workers })
    expect(await allStatuses(server)).toEqual(['200,200'])
    await remove(...suffixes.split(' and '))
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
    ['is removed with all its files', () => remove('', '-wal', '-shm'), gone, makeAnother, [401, 403]],
    [
      'is replaced, and the write-ahead log of the old file left',
      async () => {
        await backUp()
        await closeAll()
        await rename(join(home, 'copy'), file())
      },
      /was replaced, but .*-wal belongs to the previous file: remove .*-wal and .*-shm$/,
      () => remove('-wal', '-shm'),
      [200, 200],
    ],
    [
      'is replaced by another kind of file',
      async () => {
        await backUp()
        await writeFile(join(home, 'other'), 'x'.repeat(5000))
        await rename(join(home, 'other'), file())
        await remove('-wal', '-shm')
      },
      /file is not a database/,
      () => rename(join(home, 'copy'), file()),
      [200, 200],
    ],
  ])('serves nothing while it %s, and recovers', async (_, damage, why, repair, after) => {
    const server = await start()
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
    const [old, other, moved] = ['old', 'new', 'link'].map((name) => join(home, name)) as [string, string, string]
    await rename(file(), old)
    await symlink(old, file())
    const server = await start()
    await copyFile(old, other)
    await symlink(other, moved)
    await rename(moved, file())
    await closeAll()
    await sleep(lookMs)
    expect(await statuses(server)).toEqual([401, 403])
  })
})

describe('a registry whose changes other processes may miss', { timeout }, () => {
  const outputIn = (directory: string, words: ReadonlyArray<string>, first: ReadonlyArray<string> = []) =>
    outputOf({ CANOPY_DATA: directory, CANOPY_PORT: '0' }, words, first)

  const check = [serverProgram, '--check']
  const expectRefused = async (message: RegExp, at: string, first: ReadonlyArray<string> = []) => {
    const newTrigger = [commandProgram, 'trigger', 'create', '--type', 'bell']
    const refused = { code: 1, text: expect.stringMatching(message) }
    for (const words of [[serverProgram], check, [commandProgram, 'doctor'], newTrigger])
      expect([words, await outputIn(at, words, first)]).toEqual([words, refused])
  }

  const otherDirectory = async (): Promise<string> => {
    const other = join(home, 'an other')
    await mkdir(join(other, 'areas'), { recursive: true })
    return other
  }

  it('is refused if its file has two names', async () => {
    const other = await otherDirectory()
    await link(file(), join(other, 'registry.sqlite'))
    await expectRefused(/registry\.sqlite has 2 hard links.*\. Remove the other links, or put a copy/s, other)
    expect((await outputIn(data, check)).text).toMatch(/has 2 hard links/)
    await rm(join(other, 'registry.sqlite'))
    expect((await outputIn(data, check)).code).toBe(0)
  })

  const bound = (...paths: ReadonlyArray<string>) => inOwnMounts('mount --bind "$1" "$2"', ...paths)

  it.runIf(mayMount)('is refused if its file alone is a bind mount', async () => {
    const other = await otherDirectory()
    expect(await outputIn(other, check, bound(data, other))).toMatchObject({ code: 0 })
    await writeFile(join(other, 'registry.sqlite'), '')
    const message = /registry\.sqlite is mounted as a single file.*\. Mount the whole directory/s
    await expectRefused(message, other, bound(file(), join(other, 'registry.sqlite')))
  })

  it.runIf(fuseIsTested)('is refused on FUSE', async () => {
    const mounted = join(home, 'mounted')
    const { unmount } = await fuseMount(data, mounted)
    onTestFinished(unmount)
    const message = /registry\.sqlite is on a file system \(FUSE or virtiofs\).*\. Keep it on a local disk/s
    await expectRefused(message, mounted)
    await mkdir(join(mounted, 'new'))
    expect((await outputIn(join(mounted, 'new'), [commandProgram, 'account', 'create'])).text).toMatch(/FUSE/)
  })
})
