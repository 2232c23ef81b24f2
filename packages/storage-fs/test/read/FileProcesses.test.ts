import { isDeepStrictEqual } from 'node:util'
import type { OpenedFile } from '@canopy/domain'
import { textFile } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, vi } from 'vitest'
import { FileProcesses } from '../../src/read/FileProcesses.js'
import { fsStorage } from '../../src/read/fsStorage.js'
import { ReaderPool } from '../../src/read/ReaderPool.js'
import { withHangingMount } from '../hangingMount.js'
import { areaAt, at, childrenSince, inArea, rootAt } from '../temporaryArea.js'

describe.runIf(process.platform === 'linux')('processes that read the files of a mount', () => {
  it('are at most two, and end when idle', () =>
    inArea([textFile('f', 'text')], async ({ root, area }) => {
      const started = childrenSince()
      const processes = new FileProcesses(root, { idleMs: 50 })
      const opened = await Promise.all(Array.from({ length: 20 }, () => processes.openFile(area, at('/f'))))
      expect(started()).toHaveLength(2)
      for (const each of opened) if (E.isRight(each)) await each.right.close()
      await vi.waitUntil(() => started().length === 0, 15_000)
    }))

  // /proc is no local kind of file system.
  it.each([
    ['/proc', 'filesystems', 1],
    [import.meta.dirname, 'FileProcesses.test.ts', 0],
  ])('open the files of a mount that is not local, and only those: %s', async (directory, name, processes) => {
    const started = childrenSince()
    const root = rootAt(directory)
    const { openFile } = fsStorage(root, { startReaders: () => new ReaderPool(root) })
    const opened = await openFile(areaAt('.'), at(`/${name}`))()
    expect([E.isRight(opened), started().length]).toEqual([true, processes])
    if (E.isRight(opened)) await opened.right.close()
    for (const pid of started()) process.kill(pid, 'SIGKILL')
  })
})

withHangingMount('a FUSE mount that hangs', (mount) => {
  const maxMs = 4_000
  const unread = E.left({
    error: 'external',
    cause: expect.objectContaining({ message: expect.stringContaining(`${maxMs} ms`) }),
  })
  const firstChunk = async (opened: OpenedFile) => {
    const { value } = await opened.bytes(0n, opened.size)[Symbol.asyncIterator]().next()
    return value
  }

  it('fails its files, never has more than two processes, and is read again once it answers', async () => {
    const started = childrenSince()
    const processes = new FileProcesses(mount.root, { maxMs, idleMs: 5_000 })
    const openFile = () => processes.openFile(areaAt('mounted'), at('/f'))
    const isRead = async () => {
      const opened = await openFile()
      if (E.isLeft(opened)) return false
      const chunk = await firstChunk(opened.right)
      await opened.right.close()
      return isDeepStrictEqual(chunk, E.right(Buffer.from('text')))
    }
    // A busy machine may take longer to start a process.
    await vi.waitUntil(isRead, 30_000)
    const opened = await openFile()
    if (E.isLeft(opened)) return expect.fail(opened.left.error)
    mount.hang()
    expect(await Promise.all([firstChunk(opened.right), openFile()])).toEqual([unread, unread])
    // A killed process stays until the file system answers.
    const failures = [await openFile(), await openFile(), await openFile()]
    expect(failures.map(E.isLeft)).toEqual([true, true, true])
    expect(started().length).toBeLessThanOrEqual(2)
    mount.answer()
    await vi.waitUntil(isRead, 30_000)
    await vi.waitUntil(() => started().length === 0, 15_000)
  })
})
