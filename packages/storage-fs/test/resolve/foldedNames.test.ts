import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Failure } from '@canopy/domain'
import { type FoldingStorage, findFuse, startFoldingStorage } from '@canopy/test-support'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inspectArea } from '../../src/admin.js'
import { type FsStorage, fsStorage } from '../../src/fsStorage.js'
import { pinByPath } from '../../src/resolve/openPinned.js'
import { areaAt, at, rootAt } from '../temporaryArea.js'

const fuse = findFuse()
if (E.isLeft(fuse)) console.warn(`Storage that folds names is not tested. ${fuse.left}`)

const secret = 'Secret Caf\u00e9'
const otherSpellings = [
  'secret caf\u00e9',
  'SECRET CAF\u00c9',
  'Secret Cafe\u0301',
  `${secret}.`,
  `${secret} `,
  'SECRE~1',
]

const fill = (area: string): void => {
  for (const directory of [secret, 'exact', `exact/${secret}`, '\u5199\u771f']) mkdirSync(join(area, directory))
  for (const file of [`${secret}/Plan.txt`, 'Plan.txt', `exact/${secret}/Plan.txt`, '\u5199\u771f/1', '2026'])
    writeFileSync(join(area, file), 'plan')
}

// In an overlay, each directory is probed.
const overlays = ['-m', 'mount', '-t', 'overlay', 'overlay', '-o', 'lowerdir=/etc:/usr', '/mnt']
const hasOverlays = spawnSync('unshare', overlays).status === 0
if (!hasOverlays)
  console.warn('Storage that folds names is not tested through an overlay, which cannot be mounted here.')

describe.runIf(E.isRight(fuse))('an area where the file system folds names', () => {
  let storage: FoldingStorage
  let home = ''
  let overlay = ''
  beforeAll(async () => {
    storage = await startFoldingStorage(['/area', `/area/${secret}`], ['Plan.txt'])
    mkdirSync(join(storage.source, 'area'))
    fill(join(storage.source, 'area'))
    home = await mkdtemp(join(tmpdir(), 'canopy-overlay-'))
    const empty = join(home, 'empty')
    overlay = join(home, 'overlay')
    for (const directory of [empty, overlay]) mkdirSync(directory)
    if (hasOverlays)
      execFileSync('mount', ['-t', 'overlay', 'overlay', '-o', `lowerdir=${storage.mounted}:${empty}`, overlay])
  })
  afterAll(async () => {
    if (hasOverlays) execFileSync('umount', [overlay])
    await rm(home, { recursive: true, force: true })
    await storage.stop()
  })

  const area = areaAt('area')
  const ways: ReadonlyArray<readonly [string, boolean, () => FsStorage]> = [
    ['through FUSE', true, () => fsStorage(rootAt(storage.mounted))],
    ['through FUSE, by path', true, () => fsStorage(rootAt(storage.mounted), { pin: pinByPath })],
    ['through an overlay', hasOverlays, () => fsStorage(rootAt(overlay))],
  ]

  describe.each(ways.filter(([, isTested]) => isTested))('%s', (_, __, portsOf) => {
    const asked = async (path: string) => {
      const ports = portsOf()
      return [await ports.nodeAt(area, at(path))(), await ports.list(area, at(path))()]
    }
    const finds = (type: string) => [
      expect.objectContaining({ right: expect.objectContaining({ type }) }),
      type === 'dir' ? expect.objectContaining({ _tag: 'Right' }) : E.left(Failure.typeMismatch),
    ]
    const nothing = [E.left(Failure.fileNotFound), E.left(Failure.fileNotFound)]

    it('finds each node by the name that its directory lists', async () => {
      for (const [path, type] of [
        ['/', 'dir'],
        [`/${secret}`, 'dir'],
        [`/${secret}/Plan.txt`, 'file'],
        ['/Plan.txt', 'file'],
        ['/2026', 'file'],
        ['/\u5199\u771f', 'dir'],
        ['/\u5199\u771f/1', 'file'],
        [`/exact/${secret}/Plan.txt`, 'file'],
      ] as const)
        expect([path, await asked(path)]).toEqual([path, finds(type)])
    })

    it('finds no node by another spelling, anywhere in a path', async () => {
      for (const spelling of otherSpellings)
        for (const path of [`/${spelling}`, `/${spelling}/Plan.txt`, `/${spelling}/plan.TXT`, `/${spelling}/missing`])
          expect([path, await asked(path)]).toEqual([path, nothing])
      const beside = [
        '/plan.txt',
        '/Plan.txt.',
        '/2026.',
        '/2026 ',
        '/\u5199\u771f.',
        `/${secret}/plan.txt`,
        '/Exact',
        '/Exact/missing',
      ]
      // A path through another spelling of a file.
      const through = ['/plan.txt/x', '/PLAN.TXT/x/y', `/${secret}/PLAN~1/x`]
      for (const path of [...beside, ...through]) expect([path, await asked(path)]).toEqual([path, nothing])
      expect(await asked('/Plan.txt/x/y')).toEqual([E.left(Failure.typeMismatch), E.left(Failure.typeMismatch)])
    })

    it('lists a name once although the file system returns it twice', async () => {
      const listing = await portsOf().list(area, at(`/${secret}`))()
      if (E.isLeft(listing)) throw new Error(listing.left.error)
      expect(Array.from(listing.right.entries, ({ name }) => name)).toEqual(['Plan.txt'])
    })
  })

  it('is reported by the topmost directory that folds names', async () => {
    const findings: Array<unknown> = []
    for (const at of [storage.mounted, storage.source])
      for await (const finding of inspectArea(join(at, 'area'))) findings.push(finding)
    expect(findings).toEqual([{ finding: 'names are folded', directory: '/' }])
  })
})
