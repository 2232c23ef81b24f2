import { spawn } from 'node:child_process'
import { once } from 'node:events'
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
import { runs } from '@canopy/test-support'
import { type FilePorts, fileLaws, type SeedFiles, seedDirectory, textFile } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { FileProcesses } from '../../src/read/FileProcesses.js'
import { fsStorage } from '../../src/read/fsStorage.js'
import { pinByDescriptor, pinByPath } from '../../src/resolve/openPinned.js'
import type { StorageRoot } from '../../src/StorageRoot.js'
import { areaAt, asNobody, at, dir, file, inArea, openIn, temporaryArea } from '../temporaryArea.js'

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

const textOf = async (opened: OpenedFile, start = 0n, end = opened.size): Promise<string> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of opened.bytes(start, end)) if (E.isRight(chunk)) chunks.push(chunk.right)
  await opened.close()
  return Buffer.concat(chunks).toString()
}

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
        const message = expect.stringMatching(/^EACCES: .*'\/f' in area 'area'\. This user does not have access/)
        const cause = expect.objectContaining({ code: 'EACCES', message })
        expect(await ports.openFile(area, at('/f'))()).toEqual(E.left({ error: 'external', cause }))
      }),
    ))

  it('is closed after its running read, and keeps no descriptor', () =>
    inArea([textFile('f', 'text'), dir('d')], async ({ ports, area, root }) => {
      const opened = await openedAt(ports, '/f')
      const reading = opened.bytes(0n, 4n)[Symbol.asyncIterator]().next()
      await opened.close()
      expect(await reading).toMatchObject({ value: E.right(Buffer.from('text')) })
      for (const path of ['/', '/d', '/no', '/f/x']) await ports.openFile(area, at(path))()
      expect(openIn(root)).toEqual([])
    }))
})

// Exchanges two names, again and again, each time in one step of the kernel.
const exchange = `
import ctypes, sys
libc = ctypes.CDLL(None, use_errno=True)
one, other = [name.encode() for name in sys.argv[1:]]
AT_FDCWD, RENAME_EXCHANGE = -100, 2
print('begun', flush=True)
while True:
    if libc.renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) != 0: sys.exit(ctypes.get_errno())
`

/** Runs a function while another process exchanges two names. */
const besideExchange = async (one: string, other: string, act: () => Promise<void>): Promise<void> => {
  const exchanging = spawn('python3', ['-c', exchange, one, other], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(exchanging, 'exit')
  try {
    await once(exchanging.stdout, 'data')
    await act()
    expect(exchanging.exitCode).toBe(null)
  } finally {
    exchanging.kill('SIGKILL')
    await ended
  }
}

const rounds = runs(2_000, 50_000)
const maxRounds = 100_000

/** Opens a path repeatedly, until it has met both nodes. */
const seenAt = async (ports: FilePorts, path: string): Promise<ReadonlyArray<string>> => {
  const seen = new Set<string>()
  for (let round = 0; round < rounds || (seen.size < 2 && round < maxRounds); round++) {
    const opened = await ports.openFile(areaAt('area'), at(path))()
    seen.add(E.isLeft(opened) ? opened.left.error : await textOf(opened.right))
  }
  return [...seen].sort()
}

describe.runIf(process.platform === 'linux')('a name that is exchanged while its file is opened', () => {
  it.each<[string, string, string, string, ReadonlyArray<string>]>([
    ['a link to a secret file', '/f', '/link', '/f', ['file not found', 'mine']],
    ['a pipe', '/f', '/pipe', '/f', ['file not found', 'mine']],
    ['a directory', '/f', '/d', '/f', ['mine', 'type mismatch']],
    ['a link to a secret directory on the way', '/d', '/to-secret', '/d/f', ['file not found', 'mine']],
  ])('never leads elsewhere, beside %s', (_, one, other, path, expected) =>
    inArea(
      [
        textFile('f', 'mine'),
        dir('d', textFile('f', 'mine')),
        { type: 'fifo', name: 'pipe' },
        { type: 'link', name: 'link', target: '../secret/f' },
        { type: 'link', name: 'to-secret', target: '../secret' },
      ],
      async ({ ports, directory, root }) => {
        await seedDirectory(join(root, 'secret'), [textFile('f', 'secret')])
        await besideExchange(directory + one, directory + other, async () => {
          expect(await seenAt(ports, path)).toEqual(expected)
        })
        expect(openIn(root)).toEqual([])
      },
    ),
  )
})
