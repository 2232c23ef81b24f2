import {
  appendFileSync,
  chmodSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { OpenedFile } from '@canopy/domain'
import { type FilePorts, fileLaws, type SeedFiles, textFile } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { fsStorage } from '../../src/fsStorage.js'
import { FileProcesses } from '../../src/read/FileProcesses.js'
import { pinByDescriptor, pinByPath } from '../../src/resolve/openPinned.js'
import type { StorageRoot } from '../../src/StorageRoot.js'
import { areaAt, asNobody, at, dir, file, inArea, openIn, temporaryArea, textOf } from '../temporaryArea.js'

const seedFiles =
  (portsOf: (root: StorageRoot) => FilePorts): SeedFiles =>
  async (nodes) => {
    const { root, directory, area, close } = await temporaryArea(nodes)
    return {
      ports: portsOf(root),
      area,
      close,
      replace: async (path, text) => {
        writeFileSync(join(directory, 'new'), text)
        renameSync(join(directory, 'new'), directory + path)
      },
      remove: async (path) => rmSync(directory + path),
      truncate: async (path, size) => truncateSync(directory + path, size),
      append: async (path, text) => appendFileSync(directory + path, text),
    }
  }

const inProcesses = (root: StorageRoot): FilePorts => {
  const processes = new FileProcesses(root, { idleMs: 100 })
  return { openFile: (area, path) => () => processes.openFile(area, path) }
}

describe.each<[string, (root: StorageRoot) => FilePorts]>([
  ['by descriptor', (root) => fsStorage(root, { pin: pinByDescriptor })],
  ['by path', (root) => fsStorage(root, { pin: pinByPath })],
  ['in other processes', inProcesses],
])('files of a directory keep the laws of the port, %s', (_, portsOf) => {
  it.each(fileLaws)('$name', async ({ violations }) => {
    expect(await violations(seedFiles(portsOf))).toEqual([])
  })
})

const openedAt = async ({ openFile }: FilePorts, path: string): Promise<OpenedFile> => {
  const opened = await openFile(areaAt('area'), at(path))()
  return E.isRight(opened) ? opened.right : expect.fail(opened.left.error)
}

describe('an open file', () => {
  it('has bytes beyond 4 GiB', () =>
    inArea([file('huge', 5_000_000_000n)], async ({ ports, directory }) => {
      appendFileSync(join(directory, 'huge'), 'end')
      const huge = await openedAt(ports, '/huge')
      expect(huge.size).toBe(5_000_000_003n)
      expect(await textOf(huge, 4_999_999_999n)).toBe('\0end')
    }))

  it('has another version after a write that sets its time back', () =>
    inArea([textFile('f', 'one')], async ({ ports, directory }) => {
      const path = join(directory, 'f')
      const before = await openedAt(ports, '/f')
      const { atimeMs, mtimeMs } = statSync(path)
      writeFileSync(path, 'two')
      utimesSync(path, atimeMs / 1000, mtimeMs / 1000)
      const after = await openedAt(ports, '/f')
      expect([after.last_modified, after.version === before.version]).toEqual([before.last_modified, false])
      await Promise.all([before.close(), after.close()])
    }))

  it('is external without permission to read it', () =>
    asNobody(() =>
      inArea([file('f')], async ({ ports, directory, area }) => {
        chmodSync(join(directory, 'f'), 0)
        const message = expect.stringMatching(
          /^EACCES: .*'\/f' in area 'area'\. The user that runs Canopy does not have access/,
        )
        const cause = expect.objectContaining({ code: 'EACCES', message })
        expect(await ports.openFile(area, at('/f'))()).toEqual(E.left({ error: 'external', cause }))
      }),
    ))

  it('is closed after its running read, and keeps no descriptor', () =>
    inArea([textFile('f', 'text'), dir('d')], async ({ ports, area, root }) => {
      const opened = await openedAt(ports, '/f')
      const reading = opened.bytes(0n, 4n)[Symbol.asyncIterator]().next()
      await opened.close()
      expect(await reading).toMatchObject({ value: Buffer.from('text') })
      for (const path of ['/', '/d', '/no', '/f/x']) await ports.openFile(area, at(path))()
      expect(openIn(root)).toEqual([])
    }))
})
