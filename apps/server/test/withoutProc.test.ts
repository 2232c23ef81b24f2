import { execFileSync, spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { canopy, manyCommands } from './canopy.js'
import { dataOf, main, startServer } from './startServer.js'

const noProc = 'umount -l /proc'
// Another file system with the same names.
const otherProc = 'mount -t tmpfs none /proc && mkdir -p /proc/self/fd'
const isPermitted = spawnSync('unshare', ['-m', 'sh', '-c', `${noProc} && ${otherProc}`]).status === 0
if (!isPermitted)
  console.warn('Canopy without /proc is not tested: a mount namespace of its own is not permitted here.')

const inNamespace = (script: string) => ['unshare', '-m', 'sh', '-c', `${script} && exec "$@"`, 'sh']

describe.runIf(isPermitted)('Linux without /proc', { timeout: 180_000 }, () => {
  let token = ''
  const over = dataOf(async (data) => {
    await canopy(data, 'account', 'create', '--id', '7', '--verified')
    await mkdir(join(data, 'areas/7/photos'))
    await writeFile(join(data, 'areas/7/photos/a.txt'), 'abc')
    token = (await canopy(data, 'token', 'issue', '7')).token
  })

  const output = (script: string, ...words: ReadonlyArray<string>) => {
    const [program = '', ...first] = inNamespace(script)
    const env = { PATH: process.env['PATH'], CANOPY_DATA: over.data, CANOPY_PORT: '0' }
    const { status, stdout, stderr } = spawnSync(program, [...first, process.execPath, ...words], {
      env,
      encoding: 'utf8',
    })
    return { status, text: stdout + stderr }
  }
  const whatToDo = 'run `mount -t proc proc /proc`'

  it.each([noProc, otherProc])('starts no server and passes no check: %s', (script) => {
    for (const words of [[main], [main, '--check']]) {
      const { status, text } = output(script, ...words)
      expect([status, text]).toEqual([1, expect.stringContaining(whatToDo)])
    }
  })

  it.each([noProc, otherProc])('changes the registry, and marks areas as unknown: %s', (script) => {
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
  })

  it('a server that loses it is not ready, and reads are `external`', async () => {
    const server = await startServer({ CANOPY_DATA: over.data }, { first: inNamespace('true') })
    onTestFinished(async () => void (await server.end('SIGKILL')))
    const { status } = server
    const statuses = (paths: ReadonlyArray<string>, operation: string) =>
      Promise.all(paths.map((path) => status(`/api/storage/v1/${operation}/${token}${path}?depth=0`)))
    const paths = ['', '/photos', '/photos/a.txt', '/photos/missing', '/photos/a.txt/x', '/missing/x']
    expect(await status('/readyz')).toBe(200)
    expect(await statuses(paths, 'tree')).toEqual([200, 200, 200, 404, 409, 404])
    execFileSync('nsenter', ['-t', String(server.process.pid), '-m', 'umount', '-l', '/proc'])
    await expect.poll(() => status('/readyz'), { timeout: 10_000 }).toBe(503)
    const uncached = ['/photos/other', '/photos/other/x']
    expect(await statuses(uncached, 'diritems')).toEqual([502, 502])
  })
})
