import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runs } from '@canopy/test-support'
import { seedDirectory, textFile } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { fsStorage } from '../../src/fsStorage.js'
import { type OpenPinned, pinByDescriptor } from '../../src/resolve/openPinned.js'
import { areaAt, at, dir, file, inArea, openIn, readersAt, type TemporaryArea, textOf } from '../temporaryArea.js'

/** Called between the pinning and the read, with the number of the reading. */
type Happens = (directory: string, time: number) => void

const away = (directory: string, to = 'secret/d') => renameSync(join(directory, 'd'), join(directory, to))

const replaced: Happens = (directory, time) => {
  if (time > 1) return
  away(directory)
  writeFileSync(join(directory, 'secret/d/made there'), '')
  mkdirSync(join(directory, 'd'))
  writeFileSync(join(directory, 'd/other'), '')
}

const movedEachTime: Happens = (directory, time) => {
  away(directory, `secret/${time}`)
  mkdirSync(join(directory, 'd'))
}

const movedAndBack: Happens = (directory) => {
  away(directory)
  renameSync(join(directory, 'secret/d'), join(directory, 'd'))
}

const rootMovedEachTime: Happens = (directory, time) => {
  renameSync(directory, `${directory} ${time}`)
  mkdirSync(directory)
}

const movedOnce: Happens = (directory, time) => void (time === 1 && away(directory))
const removed: Happens = (directory) => rmSync(join(directory, 'd'), { recursive: true, force: true })
const rootRemoved: Happens = (directory) => rmSync(directory, { recursive: true, force: true })

it.each<[string, string, Happens, unknown, number | undefined]>([
  ['is the new directory at its path', '/d', replaced, ['other'], 2],
  ['is not found without a directory in its place', '/d', movedOnce, 'file not found', 2],
  ['is not found once removed', '/d', removed, 'file not found', undefined],
  ['is external when it moves each time', '/d', movedEachTime, 'external', 8],
  ['is the same directory when it moves back', '/d', movedAndBack, ['f'], 1],
  ['is external when the root moves each time', '/', rootMovedEachTime, 'external', 8],
  ['is external when the root is removed', '/', rootRemoved, 'external', undefined],
])('a directory that is moved while it is read %s', (_, path, happens, found, times) =>
  inArea([dir('d', file('f')), dir('secret')], async ({ root, directory }) => {
    let holds = 0
    const pin: OpenPinned = (area, asked) => {
      const held = pinByDescriptor(area, asked)
      holds += 1
      happens(directory, holds)
      return held
    }
    const listing = await fsStorage(root, { pin }).list(areaAt('area'), at(path))()
    const names = E.isRight(listing) ? Array.from(listing.right.entries, ({ name }) => name) : listing.left.error
    expect([names, times === undefined ? undefined : holds]).toEqual([found, times])
  }),
)

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

const rounds = runs(2_000, 20_000)
const maxRounds = 100_000

/** Asks every port repeatedly, until it has met both nodes. */
const seenAt = async ({ ports, root }: TemporaryArea, path: string): Promise<ReadonlyArray<string>> => {
  const readers = readersAt(root)
  const seen = new Set<string>()
  for (let round = 0; round < rounds || (seen.size < 2 && round < maxRounds); round++) {
    const area = areaAt(round % 2 === 0 ? 'area' : 'link to area')
    const opened = await ports.openFile(area, at(path))()
    seen.add(E.isLeft(opened) ? opened.left.error : await textOf(opened.right))
    const node = await ports.nodeAt(area, at(path))()
    const isMine = E.isRight(node) && (node.right.type === 'dir' || node.right.size === 4n)
    seen.add(E.isLeft(node) ? node.left.error : isMine ? 'mine' : 'the size of another file')
    // A question to another process takes ten times longer.
    const { list } = round % 10 < 2 ? readers : ports
    const listing = await list(area, at('/d'))()
    // A listing may fail if its directory is replaced during the read.
    for (const { name } of E.isRight(listing) ? listing.right.entries : []) seen.add(name)
  }
  return [...seen].sort()
}

describe.runIf(process.platform === 'linux')('a name that is exchanged while it is resolved', () => {
  it.each<[string, string, string, string, ReadonlyArray<string>]>([
    ['a link to a secret file', '/f', '/link', '/f', ['file not found', 'mine']],
    ['a pipe', '/f', '/pipe', '/f', ['file not found', 'mine']],
    ['a directory', '/f', '/d', '/f', ['mine', 'type mismatch']],
    ['a link to a secret directory on the way', '/d', '/to-secret', '/d/mine', ['file not found', 'mine']],
  ])('never leads elsewhere, beside %s', (_, one, other, path, expected) =>
    inArea(
      [
        textFile('f', 'mine'),
        dir('d', textFile('mine', 'mine')),
        { type: 'fifo', name: 'pipe' },
        { type: 'link', name: 'link', target: '../secret/mine' },
        { type: 'link', name: 'to-secret', target: '../secret' },
      ],
      async (made) => {
        const { directory, root } = made
        await seedDirectory(join(root, 'secret'), [textFile('mine', 'secret'), file('secret')])
        symlinkSync('area', join(root, 'link to area'))
        await besideExchange(directory + one, directory + other, async () => {
          expect(await seenAt(made, path)).toEqual(expected)
        })
        expect(openIn(root)).toEqual([])
      },
    ),
  )
})
