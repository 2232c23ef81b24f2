import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { OpenedFile } from '@canopy/domain'
import { findFuse } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { FileProcesses } from '../../src/read/FileProcesses.js'
import { areaAt, at, childrenSince, readersAt, rootAt } from '../temporaryArea.js'

// A directory with the file `f`. Every call waits while the file `hangs` exists.
const script = `
import errno, os, sys, time
from fusepy import FUSE, FuseOSError, Operations

mounted, hangs = sys.argv[1:]

def wait():
    while os.path.exists(hangs): time.sleep(0.02)

class Hanging(Operations):
    def init(self, path):
        print('ready', flush=True)
    def getattr(self, path, fh=None):
        wait()
        if path == '/': return {'st_mode': 0o040755, 'st_nlink': 2}
        if path == '/f': return {'st_mode': 0o100644, 'st_nlink': 1, 'st_size': 4}
        raise FuseOSError(errno.ENOENT)
    def readdir(self, path, fh):
        wait()
        return ['.', '..', 'f']
    def read(self, path, size, offset, fh):
        wait()
        return b'text'[offset:offset + size]

FUSE(Hanging(), mounted, foreground=True, direct_io=True, attr_timeout=0, entry_timeout=0)
`

const fuse = findFuse()
if (E.isLeft(fuse)) console.warn(`A hanging FUSE mount is not tested. ${fuse.left}`)

describe.runIf(E.isRight(fuse))('a FUSE mount that hangs', () => {
  const home = mkdtempSync(join(tmpdir(), 'canopy-hanging-'))
  const [mounted, hangs] = [join(home, 'mounted'), join(home, 'hangs')]
  const hang = () => writeFileSync(hangs, '')
  const answer = () => rmSync(hangs, { force: true })
  let stop = async (): Promise<void> => undefined
  beforeAll(async () => {
    mkdirSync(mounted)
    const child = spawn('/usr/bin/python3', ['-c', script, mounted, hangs], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    stop = async () => {
      answer()
      spawnSync('umount', ['-l', mounted])
      child.kill('SIGKILL')
      await exited
    }
    await once(child.stdout, 'data')
  })
  afterAll(async () => {
    await stop()
    rmSync(home, { recursive: true })
  })

  const root = rootAt(home)
  const [area, file] = [areaAt('mounted'), at('/f')]

  it('keeps a bounded number of readers, although the kernel keeps killed ones, and recovers', async () => {
    const started = childrenSince()
    const { nodeAt } = readersAt(root, { maxProcesses: 1, maxMs: 3_000, idleMs: 100 })
    const isRead = async () => E.isRight(await nodeAt(area, file)())
    // A busy machine may take longer to start a process.
    await vi.waitUntil(isRead, 30_000)
    hang()
    for (let requests = 0; requests < 3; requests += 1) expect(await isRead()).toBe(false)
    expect(started().length).toBeLessThanOrEqual(2)
    answer()
    await vi.waitUntil(isRead, 30_000)
    await vi.waitUntil(() => started().length === 0, 15_000)
  })

  const firstChunk = async (opened: OpenedFile) => {
    const { value } = await opened.bytes(0n, opened.size)[Symbol.asyncIterator]().next()
    return value
  }

  it('fails its files, never has more than two processes for them, and recovers', async () => {
    const started = childrenSince()
    const processes = new FileProcesses(root, { maxMs: 4_000, idleMs: 5_000 })
    const openFile = () => processes.openFile(area, file)
    const isRead = async () => {
      const opened = await openFile()
      if (E.isLeft(opened)) return false
      const chunk = await firstChunk(opened.right)
      await opened.right.close()
      return isDeepStrictEqual(chunk, Buffer.from('text'))
    }
    await vi.waitUntil(isRead, 30_000)
    const opened = await openFile()
    if (E.isLeft(opened)) throw new Error(opened.left.error)
    hang()
    const cause = expect.objectContaining({ message: expect.stringContaining('4000 ms') })
    const reading = firstChunk(opened.right).catch((thrown) => thrown)
    expect(await Promise.all([reading, openFile()])).toEqual([cause, E.left({ error: 'external', cause })])
    // A killed process stays until the file system answers.
    const failures = [await openFile(), await openFile(), await openFile()]
    expect(failures.map(E.isLeft)).toEqual([true, true, true])
    expect(started().length).toBeLessThanOrEqual(2)
    answer()
    await vi.waitUntil(isRead, 30_000)
    await vi.waitUntil(() => started().length === 0, 15_000)
  })
})
