import { execFileSync } from 'node:child_process'
import { dir, file, token, worldWith } from '@canopy/test-support'
import { describe, expect, it } from 'vitest'
import { bin } from './canopy.js'
import { inOwnMounts, mayMount } from './mounts.js'
import { dataOf, main, outputOf, seedData, serverOfTest } from './startServer.js'

const noProc = 'umount -l /proc'
// Another file system with the same names.
const otherProc = 'mount -t tmpfs none /proc && mkdir -p /proc/self/fd'

describe.runIf(mayMount)('Linux without /proc', { timeout: 180_000 }, () => {
  const over = dataOf((data) => seedData(data, worldWith([dir('photos', file('a.txt'))], { settings: [] })))
  const hint = /run `mount -t proc proc \/proc`/

  it.each<[string, program: string, words: string, code: number, text: RegExp]>([
    ['a server does not start', main, '', 1, hint],
    ['a check fails', main, '--check', 1, hint],
    ['a visibility is set', bin, 'visibility set 1 /photos public', 0, /"exists":null,.*"searchedAll":false/],
    ['settings are listed', bin, 'visibility list 1', 0, /"exists":null/],
    ['a token is issued', bin, 'token issue 1', 0, /"exists":null/],
    ['doctor reports the cause', bin, 'doctor', 1, hint],
  ])('%s', async (_, program, words, code, text) => {
    const all = [program, ...words.split(' ').filter(Boolean), ...(program === bin ? ['--json'] : [])]
    const expected = { code, text: expect.stringMatching(text) }
    for (const script of [noProc, otherProc])
      expect(await outputOf({ CANOPY_DATA: over.data, CANOPY_PORT: '0' }, all, inOwnMounts(script))).toEqual(expected)
  })

  it('a server that loses it is not ready, and reads are `external`', async () => {
    const { process: server, status } = await serverOfTest({ CANOPY_DATA: over.data }, { first: inOwnMounts('true') })
    const statuses = (paths: ReadonlyArray<string>, operation: string) =>
      Promise.all(paths.map((path) => status(`/api/storage/v1/${operation}/${token}${path}?depth=0`)))
    const paths = ['', '/photos', '/photos/a.txt', '/photos/missing', '/photos/a.txt/x', '/missing/x']
    expect(await status('/readyz')).toBe(200)
    expect(await statuses(paths, 'tree')).toEqual([200, 200, 200, 404, 409, 404])
    execFileSync('nsenter', ['-t', String(server.pid), '-m', 'umount', '-l', '/proc'])
    await expect.poll(() => status('/readyz'), { timeout: 10_000 }).toBe(503)
    const uncached = ['/photos/other', '/photos/other/x']
    expect(await statuses(uncached, 'diritems')).toEqual([502, 502])
  })
})
