import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { request } from '@canopy/testkit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canopy, manyCommands } from './canopy.js'
import { temporaryData } from './startServer.js'

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url))

const noProc = 'umount -l /proc'
// Some file system is there, and it has the names that matter.
const otherProc = 'mount -t tmpfs none /proc && mkdir -p /proc/self/fd'
const isPermitted = spawnSync('unshare', ['-m', 'sh', '-c', `${noProc} && ${otherProc}`]).status === 0
if (!isPermitted)
  console.warn('Canopy without /proc is not tested: a mount namespace of its own is not permitted here.')

/** For many processes, one after the other, in milliseconds. */
const timeout = 180_000

/** In a mount namespace of its own. */
const inNamespace = (script: string, ...words: ReadonlyArray<string>) => [
  '-m',
  'sh',
  '-c',
  `${script} && exec "$@"`,
  'sh',
  ...words,
]

describe.runIf(isPermitted)('Linux without /proc', () => {
  let data = ''
  let token = ''
  beforeAll(async () => {
    data = await temporaryData()
    await canopy(data, 'account', 'create', '--id', '7', '--verified')
    await mkdir(join(data, 'areas/7/photos'))
    await writeFile(join(data, 'areas/7/photos/a.txt'), 'abc')
    token = (await canopy(data, 'token', 'issue', '7')).token
  }, timeout)
  afterAll(() => rm(data, { recursive: true }))

  const env = () => ({ PATH: process.env['PATH'], CANOPY_DATA: data, CANOPY_PORT: '0' })
  const output = (script: string, ...words: ReadonlyArray<string>) => {
    const { status, stdout, stderr } = spawnSync('unshare', inNamespace(script, process.execPath, ...words), {
      env: env(),
      encoding: 'utf8',
    })
    return { status, text: stdout + stderr }
  }
  const whatToDo = 'run `mount -t proc proc /proc`'

  it.each([noProc, otherProc])('starts no server and passes no check: %s', { timeout }, (script) => {
    for (const words of [[main], [main, '--check']]) {
      const { status, text } = output(script, ...words)
      expect([status, text]).toEqual([1, expect.stringContaining(whatToDo)])
    }
  })

  it.each([noProc, otherProc])(
    'changes the registry, and says what it does not know of areas: %s',
    { timeout },
    (script) => {
      const lines = [
        ['visibility', 'set', '7', '/photos', 'public'],
        ['visibility', 'list', '7'],
        ['token', 'issue', '7'],
        ['doctor'],
      ]
      const { status, text } = output(script, ...manyCommands(lines))
      expect([status, text]).toEqual([0, expect.any(String)])
      expect(JSON.parse(text)).toMatchObject([
        { exit: 0, stdout: expect.stringMatching(/"exists":null,.*"searchedAll":false/) },
        { exit: 0, stdout: expect.stringMatching(/"exists":null/) },
        { exit: 0, stdout: expect.stringMatching(/"exists":null/) },
        { exit: 1, stdout: expect.stringContaining(whatToDo) },
      ])
    },
  )

  it('lost while a server runs: it is not ready, and what it would read is `external`', async () => {
    const child = spawn('unshare', inNamespace('true', process.execPath, main), {
      env: env(),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = new Promise((resolve) => child.once('close', resolve))
    try {
      const port = await new Promise<number>((resolve, reject) => {
        child.once('close', () => reject(new Error('the server ended')))
        child.stdout.on('data', (line) => {
          const [, found] = /"url":"http:[^"]*:(\d+)/.exec(String(line)) ?? []
          if (found !== undefined) resolve(Number(found))
        })
      })
      const status = async (target: string) => (await request(port, { method: 'GET', target })).status
      const targets = ['', '/photos', '/photos/a.txt', '/photos/missing', '/photos/a.txt/x', '/missing/x'].map(
        (path) => `/api/storage/v1/tree/${token}${path}?depth=0`,
      )
      const statuses = () => Promise.all(targets.map(status))
      expect(await status('/readyz')).toBe(200)
      expect(await statuses()).toEqual([200, 200, 200, 404, 409, 404])
      execFileSync('nsenter', ['-t', String(child.pid), '-m', 'umount', '-l', '/proc'])
      await expect.poll(() => status('/readyz'), { timeout: 10_000 }).toBe(503)
      const uncached = ['/photos/other', '/photos/other/x'].map((path) => `/api/storage/v1/diritems/${token}${path}`)
      expect(await Promise.all(uncached.map(status))).toEqual([502, 502])
    } finally {
      child.kill('SIGKILL')
      await exited
    }
  })
})
