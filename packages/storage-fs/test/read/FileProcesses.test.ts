import { existsSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { Failure, OpenedFile } from '@canopy/domain'
import { textFile } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, vi } from 'vitest'
import { FileProcesses } from '../../src/read/FileProcesses.js'
import { fsStorage } from '../../src/read/fsStorage.js'
import { ReaderPool } from '../../src/read/ReaderPool.js'
import { withHangingMount } from '../hangingMount.js'
import { areaAt, at, childrenSince, inArea, rootAt, type TemporaryArea } from '../temporaryArea.js'

const firstChunk = (opened: OpenedFile) => opened.bytes(0n, opened.size)[Symbol.asyncIterator]().next()

const unreadFor = (maxMs: number) =>
  E.left({ error: 'external', cause: expect.objectContaining({ message: expect.stringContaining(`${maxMs} ms`) }) })

const inProcesses = (
  options: ConstructorParameters<typeof FileProcesses>[1],
  use: (open: () => Promise<OpenedFile>, area: TemporaryArea, processes: FileProcesses) => Promise<void>,
) =>
  inArea([textFile('f', 'text')], async (area) => {
    const processes = new FileProcesses(area.root, options)
    const open = async () => {
      const opened = await processes.openFile(area.area, at('/f'))
      return E.isRight(opened) ? opened.right : expect.fail(opened.left.error)
    }
    await use(open, area, processes)
  })

describe.runIf(process.platform === 'linux')('processes that read the files of a mount', () => {
  it('are at most two, and end when idle', async () => {
    const started = childrenSince()
    await inProcesses({ idleMs: 50 }, async (open) => {
      const opened = await Promise.all(Array.from({ length: 20 }, open))
      expect(started()).toHaveLength(2)
      for (const each of opened) {
        const { value } = await firstChunk(each)
        expect(E.isRight(value) && Buffer.from(value.right as Uint8Array).toString()).toBe('text')
        await each.close()
      }
      await vi.waitUntil(() => started().length === 0, 15_000)
    })
  })

  it('are killed when they hang: their files fail, and others are read', async () => {
    const started = childrenSince()
    await inProcesses({ maxMs: 4_000 }, async (open) => {
      const first = await open()
      const [hanging = 0] = started()
      process.kill(hanging, 'SIGSTOP')
      const [reading, other] = await Promise.all([firstChunk(first), open().then(firstChunk)])
      expect(reading.value).toEqual(unreadFor(4_000))
      expect(other.value).toMatchObject({ _tag: 'Right' })
      await vi.waitUntil(() => !existsSync(`/proc/${hanging}/cwd`), 15_000)
      expect(await firstChunk(await open())).toMatchObject({ value: { _tag: 'Right' } })
      for (const pid of started()) process.kill(pid, 'SIGKILL')
    })
  })

  // /proc is no local kind of file system.
  it('open the files of a mount that is not local, and only those', async () => {
    const started = childrenSince()
    const storageAt = (directory: string) => {
      const root = rootAt(directory)
      return fsStorage(root, { startReaders: () => new ReaderPool(root) })
    }
    await inArea([textFile('f', 'text')], async ({ root, area }) => {
      const local = await storageAt(root).openFile(area, at('/f'))()
      expect([E.isRight(local), started()]).toEqual([true, []])
      if (E.isRight(local)) await local.right.close()
    })
    const foreign = await storageAt('/').openFile(areaAt('proc'), at('/filesystems'))()
    expect([E.isRight(foreign), started().length]).toEqual([true, 1])
    for (const pid of started()) process.kill(pid, 'SIGKILL')
  })
})

withHangingMount('a FUSE mount that hangs', (mount) => {
  const maxMs = 4_000
  const text = E.right(Buffer.from('text'))

  it('fails its files, never has more than two processes, and is read again once it answers', async () => {
    const started = childrenSince()
    const processes = new FileProcesses(mount.root, { maxMs, idleMs: 5_000 })
    const openFile = () => processes.openFile(areaAt('mounted'), at('/f'))
    const isRead = async () => {
      const opened = await openFile()
      if (E.isLeft(opened)) return false
      const { value } = await firstChunk(opened.right)
      await opened.right.close()
      return isDeepStrictEqual(value, text)
    }
    // A busy machine may take longer to start a process.
    await vi.waitUntil(isRead, 30_000)
    const opened = E.getOrElseW((failure: Failure.OfStorage): never => {
      throw new Error(failure.error)
    })(await openFile())
    mount.hang()
    const [reading, opening] = await Promise.all([firstChunk(opened), openFile()])
    expect([reading.value, opening]).toEqual([unreadFor(maxMs), unreadFor(maxMs)])
    // A killed process stays until the file system answers.
    const failures = [await openFile(), await openFile(), await openFile()]
    expect(failures.map(E.isLeft)).toEqual([true, true, true])
    expect(started().length).toBeLessThanOrEqual(2)
    mount.answer()
    await vi.waitUntil(isRead, 30_000)
    await vi.waitUntil(() => started().length === 0, 15_000)
  })
})
