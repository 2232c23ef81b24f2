import { textFile } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { byMount } from '../../src/byMount.js'
import { foreignStorage } from '../../src/foreignStorage.js'
import { fsStorage } from '../../src/fsStorage.js'
import { FileProcesses } from '../../src/read/FileProcesses.js'
import { foreignMountOf } from '../../src/resolve/areas.js'
import { areaAt, at, childrenSince, inArea, rootAt, textOf } from '../temporaryArea.js'

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

  it('are killed when they hang, however often they are asked: their files fail, and others are read', () =>
    inArea([textFile('f', 'text')], async ({ root, area }) => {
      const started = childrenSince()
      const processes = new FileProcesses(root, { maxMs: 4_000 })
      const open = async () => {
        const opened = await processes.openFile(area, at('/f'))
        if (E.isLeft(opened)) throw new Error(opened.left.error)
        return opened.right
      }
      const [first, other] = [await open(), await open()]
      process.kill(started()[0] ?? 0, 'SIGSTOP')
      const failing = textOf(first).catch(({ message }) => message)
      const asking = setInterval(() => void textOf(first).catch(() => undefined), 500)
      expect(await Promise.all([failing, textOf(other)])).toEqual([expect.stringContaining('4000 ms'), 'text'])
      clearInterval(asking)
      expect(await textOf(await open())).toBe('text')
      for (const pid of started()) process.kill(pid, 'SIGKILL')
    }))

  it('that the system cannot start fail their file, and the next one starts', () =>
    inArea([textFile('f', 'text')], async ({ root, area }) => {
      const { execPath } = process
      onTestFinished(() => void Object.assign(process, { execPath }))
      const processes = new FileProcesses(root, { idleMs: 50 })
      // Node throws this error, and reports a missing file by an event.
      process.execPath = `${execPath}/none`
      expect(await processes.openFile(area, at('/f'))).toMatchObject(E.left({ error: 'external' }))
      process.execPath = execPath
      expect(E.isRight(await processes.openFile(area, at('/f')))).toBe(true)
    }))

  // /proc is no local kind of file system.
  it.each([
    ['/proc', 'filesystems', 1],
    [import.meta.dirname, 'FileProcesses.test.ts', 0],
  ])('open the files of a mount that is not local, and only those: %s', async (directory, name, processes) => {
    const started = childrenSince()
    const root = rootAt(directory)
    const { openFile } = byMount(
      foreignMountOf(root),
      fsStorage(root),
      foreignStorage(root, () => undefined),
    )
    const opened = await openFile(areaAt('.'), at(`/${name}`))()
    expect([E.isRight(opened), started().length]).toEqual([true, processes])
    if (E.isRight(opened)) await opened.right.close()
    for (const pid of started()) process.kill(pid, 'SIGKILL')
  })
})
