import { mkdirSync, mkdtempSync, renameSync, rmdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type AreaRoot, areaRoots, foreignMounts, mountsOf, storageReachable } from '../src/areas.js'
import type { StorageRoot } from '../src/StorageRoot.js'
import { asNobody, inArea } from './temporaryArea.js'

const identity = O.map((root: AreaRoot) => root.identity)
const modified = O.map(({ node }: AreaRoot) => node.last_modified)

describe('what stands at the root of an area', () => {
  it('is the same value for as long as it tells the same', () =>
    inArea([], async ({ root, area, directory }) => {
      const rootOf = areaRoots(root)
      utimesSync(directory, 1_000, 1_000)
      const first = rootOf(area)
      expect(modified(first)).toEqual(O.some(1_000n))
      expect(rootOf(area)).toBe(first)
    }))

  it('is told anew when it was modified, of the same identity', () =>
    inArea([], async ({ root, area, directory }) => {
      const rootOf = areaRoots(root)
      const before = rootOf(area)
      utimesSync(directory, 2_000, 2_000)
      const after = rootOf(area)
      expect(modified(after)).toEqual(O.some(2_000n))
      expect(identity(after)).toEqual(identity(before))
    }))

  it('has another identity when another directory takes its place, however alike', () =>
    inArea([], async ({ root, area, directory }) => {
      const rootOf = areaRoots(root)
      utimesSync(directory, 1_000, 1_000)
      const before = rootOf(area)
      mkdirSync(`${directory}-other`)
      utimesSync(`${directory}-other`, 1_000, 1_000)
      renameSync(directory, `${directory}-away`)
      renameSync(`${directory}-other`, directory)
      const after = rootOf(area)
      rmSync(`${directory}-away`, { recursive: true })
      expect(O.isSome(after)).toBe(true)
      expect(identity(after)).not.toEqual(identity(before))
    }))

  it('is nothing while there is no directory, and something as soon as there is', () =>
    inArea([], async ({ root, area, directory }) => {
      const rootOf = areaRoots(root)
      expect(O.isSome(rootOf(area))).toBe(true)
      rmdirSync(directory)
      expect(rootOf(area)).toEqual(O.none)
      writeFileSync(directory, '')
      expect(rootOf(area)).toEqual(O.none)
      rmSync(directory)
      symlinkSync('nowhere', directory)
      expect(rootOf(area)).toEqual(O.none)
      rmSync(directory)
      mkdirSync(directory)
      expect(O.isSome(rootOf(area))).toBe(true)
    }))
})

const codeOf = async (root: string): Promise<unknown> => {
  const answer = await storageReachable(root as StorageRoot)()
  return E.isRight(answer) ? 'reachable' : (answer.left.cause as NodeJS.ErrnoException).code
}

describe('the root of the storage', () => {
  let root = ''
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'canopy-root-'))
  })
  afterEach(() => rm(root, { recursive: true }))

  it('is reachable while it is a directory', async () => {
    expect(await codeOf(root)).toBe('reachable')
  })

  it('is not when it is missing or a file', async () => {
    await writeFile(join(root, 'file'), '')
    expect(await codeOf(join(root, 'missing'))).toBe('ENOENT')
    expect(await codeOf(join(root, 'file'))).toBe('ENOTDIR')
  })

  it('is not when it may not be entered', async () => {
    await chmod(root, 0o600)
    expect(await asNobody(() => codeOf(root))).toBe('EACCES')
    await chmod(root, 0o700)
  })
})

const home = mkdtempSync(join(tmpdir(), 'canopy-mounts-'))
afterAll(() => rmSync(home, { recursive: true }))

const line = (point: string, kind: string): string =>
  `36 35 98:0 / ${point} rw,noatime shared:1 master:2 - ${kind} /dev/root rw`

const mounted = (...lines: ReadonlyArray<string>) => foreignMounts(() => mountsOf(lines.join('\n')))

describe('the mount table of the kernel', () => {
  it('names points with blanks, and what was mounted last at each', () => {
    const text = [
      line('/', 'ext4'),
      line('/mnt/my\\040disk', 'nfs4'),
      line('/srv', 'fuse.sshfs'),
      line('/srv', 'xfs'),
      '',
    ]
    expect(mountsOf(text.join('\n'))).toEqual(
      new Map([
        ['/', true],
        ['/mnt/my disk', false],
        ['/srv', true],
      ]),
    )
  })
})

describe('a directory may hang a process that touches it', () => {
  it('where the nearest mount point above it is of no local kind, or such a one is directly in it', () => {
    const foreign = mounted(line('/', 'overlay'), line('/mnt/nfs', 'nfs4'), line('/mnt/nfs/disk', 'ext4'))
    const local = ['/srv/area', '/', '/mnt/nfs2'].map((path) => foreign('/', path))
    expect(local).toEqual([undefined, undefined, undefined])
    const found = ['/mnt/nfs', '/mnt/nfs/a/b', '/mnt'].map((path) => foreign('/', path))
    expect(found).toEqual(['/mnt/nfs', '/mnt/nfs', '/mnt/nfs'])
    expect(foreign('/mnt/nfs', '/')).toBe('/mnt/nfs')
    expect(foreign('/mnt/nfs', '/disk')).toBe('/mnt/nfs')
    const onForeignRoot = mounted(line('/', 'virtiofs'), line('/srv', 'ext4'))
    expect([onForeignRoot('/srv', '/a'), onForeignRoot('/home', '/a')]).toEqual([undefined, '/'])
    const two = mounted(line('/', 'ext4'), line('/mnt/a', 'nfs'), line('/mnt/b', 'nfs'))
    expect([two('/mnt', '/'), two('/mnt', '/a')]).toEqual(['/mnt/a\0/mnt/b', '/mnt/a'])
    expect(foreign('/mnt/nfs/a', '/b')).toBe('/mnt/nfs')
  })

  it('where the links of its path lead there; what is mounted on the way is not touched', () => {
    const nfs = join(home, 'mnt/nfs')
    mkdirSync(join(home, 'mnt'))
    symlinkSync('mnt/nfs', join(home, 'link'))
    symlinkSync(join(home, 'link'), join(home, 'absolute'))
    symlinkSync('circle', join(home, 'circle'))
    const foreign = mounted(line('/', 'ext4'), line(nfs, 'nfs'))
    const names = ['link', 'absolute', 'circle', 'missing']
    expect(names.map((name) => foreign(`${home}/${name}`, '/a'))).toEqual([nfs, nfs, undefined, undefined])
  })

  it('by a table that is read again after a second', () => {
    let now = 0
    let kind = 'ext4'
    const foreign = foreignMounts(
      () => mountsOf(line('/', kind)),
      () => now,
    )
    expect(foreign('/srv', '/')).toBe(undefined)
    kind = 'nfs'
    now = 999
    expect(foreign('/srv', '/')).toBe(undefined)
    now = 1_000
    expect(foreign('/srv', '/')).toBe('/')
  })

  it('nowhere where there is no such table', () => {
    expect(foreignMounts(() => new Map())('/srv', '/a')).toBe(undefined)
  })
})
