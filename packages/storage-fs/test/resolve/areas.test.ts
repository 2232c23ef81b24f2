import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Area } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, describe, expect, it } from 'vitest'
import { changeEvents } from '../../src/cache/changeEvents.js'
import { fsStorage } from '../../src/read/fsStorage.js'
import { areaRootAt, foreignMountOf, mountsOf, storageReachable } from '../../src/resolve/areas.js'
import { pinByDescriptor, pinByPath } from '../../src/resolve/openPinned.js'
import type { StorageRoot } from '../../src/StorageRoot.js'
import { areaAt, asNobody, at, dir, file, inArea, openIn, rootAt } from '../temporaryArea.js'

const onMountPoint = (location: string): Area.Area => ({ ...areaAt(location), isMountPoint: true })

describe('what is at the root of an area', () => {
  it('is of the same identity when it was modified, of another when another directory takes its place', () =>
    inArea([], async ({ root, area, directory }) => {
      const rootNow = () => {
        utimesSync(directory, 1_000, 1_000)
        return areaRootAt(root)(area)
      }
      const before = rootNow()
      expect(before?.node.last_modified).toBe(1_000n)
      mkdirSync(`${directory}-other`)
      expect(rootNow()).toEqual(before)
      renameSync(directory, `${directory}-away`)
      renameSync(`${directory}-other`, directory)
      expect(rootNow()?.node).toEqual(before?.node)
      expect(rootNow()?.identity).not.toBe(before?.identity)
    }))

  it('is nothing while there is no directory, and something as soon as there is', () =>
    inArea([], async ({ root, area, directory }) => {
      const isThere = () => areaRootAt(root)(area) !== undefined
      expect(isThere()).toBe(true)
      rmdirSync(directory)
      expect(isThere()).toBe(false)
      writeFileSync(directory, '')
      expect(isThere()).toBe(false)
      rmSync(directory)
      symlinkSync('nowhere', directory)
      expect(isThere()).toBe(false)
      rmSync(directory)
      mkdirSync(directory)
      expect(isThere()).toBe(true)
    }))

  it('is nothing where it should be a mount point and is none', () =>
    inArea([], async ({ root, area }) => {
      const rootOf = areaRootAt(root)
      expect([rootOf(area), rootOf(onMountPoint('area'))].map((each) => each !== undefined)).toEqual([true, false])
    }))
})

const external = (directory: string) =>
  E.left({
    error: 'external',
    cause: expect.objectContaining({
      message: expect.stringContaining(
        `${directory} was a mount point when it was given to the account, and nothing is mounted there now`,
      ),
    }),
  })

describe.each([
  ['by descriptor', pinByDescriptor],
  ['by path', pinByPath],
])('an area on a mount point, held %s', (_, hold) => {
  it('is external as a whole where nothing is mounted, and nothing of it is left open', () =>
    inArea([dir('d', file('f'))], async ({ root, directory }) => {
      const { nodeAt, list, listSnapshot } = fsStorage(root, { hold })
      const area = onMountPoint('area')
      for (const path of ['/', '/d', '/d/f', '/missing']) {
        expect(await nodeAt(area, at(path))()).toEqual(external(directory))
        expect(await list(area, at(path))()).toEqual(external(directory))
      }
      expect(await listSnapshot(area, at('/'))()).toEqual(external(directory))
      expect(changeEvents(root, hold).watch(area, at('/d'), () => undefined)).toBe(undefined)
      expect(openIn(root)).toEqual([])
      expect(await nodeAt(areaAt('area'), at('/d/f'))()).toMatchObject({ _tag: 'Right' })
    }))

  it('is served where something is mounted, also by a link to it', () =>
    inArea([], async ({ root }) => {
      symlinkSync('/proc', join(root, 'link'))
      const { nodeAt, list } = fsStorage(root, { hold })
      for (const location of ['/proc', '/', 'link']) {
        const area = onMountPoint(location)
        expect(await nodeAt(area, at('/'))()).toMatchObject({ right: { type: 'dir' } })
        expect(areaRootAt(root)(area)).toBeDefined()
      }
      expect(await nodeAt(onMountPoint('/proc'), at('/sys/kernel'))()).toMatchObject({ right: { type: 'dir' } })
      expect(await list(onMountPoint('link'), at('/sys'))()).toMatchObject({ _tag: 'Right' })
    }))
})

const codeOf = async (root: string): Promise<unknown> => {
  const answer = await storageReachable(root as StorageRoot)()
  return E.isRight(answer) ? 'reachable' : (answer.left.cause as NodeJS.ErrnoException).code
}

it('the root of the storage is reachable while it is a directory that may be entered', () =>
  inArea([file('file')], async ({ root, directory }) => {
    expect(await codeOf(root)).toBe('reachable')
    expect(await codeOf(join(root, 'missing'))).toBe('ENOENT')
    expect(await codeOf(join(directory, 'file'))).toBe('ENOTDIR')
    chmodSync(root, 0o600)
    expect(await asNobody(() => codeOf(root))).toBe('EACCES')
    chmodSync(root, 0o700)
  }))

const home = mkdtempSync(join(tmpdir(), 'canopy-mounts-'))
afterAll(() => rmSync(home, { recursive: true }))

const line = (point: string, kind: string): string =>
  `36 35 98:0 / ${point} rw,noatime shared:1 master:2 - ${kind} /dev/root rw`

const foreignBy = (read: () => ReturnType<typeof mountsOf>, now?: () => number) => {
  const foreignMount = foreignMountOf(rootAt('/'), read, now)
  return (directory: string, path: string) => foreignMount(areaAt(directory), at(path))
}

const mounted = (...lines: ReadonlyArray<string>) => foreignBy(() => mountsOf(lines.join('\n')))

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
    const foreign = foreignBy(
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
    expect(foreignBy(() => new Map())('/srv', '/a')).toBe(undefined)
  })
})
