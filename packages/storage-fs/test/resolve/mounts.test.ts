import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryDirectory } from '@canopy/test-support'
import { afterAll, describe, expect, it } from 'vitest'
import { allForeignMounts, holdsMount, MountTable, mountsOf } from '../../src/resolve/mounts.js'
import { at } from '../temporaryArea.js'

const home = temporaryDirectory(afterAll)

const line = (point: string, kind: string): string =>
  `36 35 98:0 / ${point} rw,noatime shared:1 master:2 - ${kind} /dev/root rw`

const mounted = (...lines: ReadonlyArray<string>) => {
  const table = new MountTable(() => lines.join('\n'))
  return (directory: string, path: string) => table.foreignMountOf(directory, at(path))
}

it('the table of the kernel names points with blanks, and the last mount at each', () => {
  const points = [
    ['/', 'ext4'],
    ['/mnt/my\\040disk', 'nfs4'],
    ['/srv', 'fuse.sshfs'],
    ['/srv', 'xfs'],
  ] as const
  const mounts = mountsOf(points.map(([point, kind]) => line(point, kind)).join('\n'))
  expect([...mounts].map(([point, { isLocal }]) => [point, isLocal])).toEqual([
    ['/', true],
    ['/mnt/my disk', false],
    ['/srv', true],
  ])
})

it('the mounts below a directory have an identity, which never returns', () => {
  const tables = [['/srv', '/srvx'], ['/srv/a'], ['/srv/b'], ['/srv/a'], []]
  let now = 0
  const readTable = () => (tables[now / 1_000] ?? []).map((point) => line(point, 'xfs')).join('\n')
  const table = new MountTable(readTable, () => now)
  const seen = tables.map((_, index) => {
    now = index * 1_000
    return table.mountsBelow('/srv')
  })
  expect([seen[0], new Set(seen).size, table.mountsBelow('/srv')]).toEqual(['', tables.length, seen.at(-1)])
})

describe('a directory is foreign', () => {
  it('if the nearest mount point above is foreign, or one directly in it', () => {
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
    const withoutTable = mounted()
    expect(withoutTable('/srv', '/a')).toBe(undefined)
  })

  it('if the links of its path lead to a foreign mount, which is not touched', () => {
    const nfs = join(home, 'mnt/nfs')
    mkdirSync(join(home, 'mnt'))
    symlinkSync('mnt/nfs', join(home, 'link'))
    symlinkSync(join(home, 'link'), join(home, 'absolute'))
    symlinkSync('circle', join(home, 'circle'))
    const foreign = mounted(line('/', 'ext4'), line(nfs, 'nfs'))
    const names = ['link', 'absolute', 'circle', 'missing']
    expect(names.map((name) => foreign(`${home}/${name}`, '/a'))).toEqual([nfs, nfs, undefined, undefined])
  })

  it('if `..` after a link leads to a foreign mount, or out of one', () => {
    const nfs = join(home, 'shares/nfs')
    mkdirSync(join(home, 'shares/deep'), { recursive: true })
    symlinkSync('shares/deep', join(home, 'deep'))
    symlinkSync('deep/../nfs', join(home, 'beside'))
    symlinkSync('shares/nfs/../deep', join(home, 'through'))
    symlinkSync('deep/../../shares/./deep', join(home, 'back'))
    const foreign = mounted(line('/', 'ext4'), line(nfs, 'nfs'))
    const names = ['beside', 'through', 'back']
    expect(names.map((name) => foreign(`${home}/${name}`, '/a'))).toEqual([nfs, nfs, undefined])
  })
})

it('the mounts below the root directory are found', () => {
  const mounts = mountsOf([line('/', 'ext4'), line('/mnt/nfs', 'nfs4')].join('\n'))
  expect(allForeignMounts('/', mounts)).toEqual(['/mnt/nfs'])
  expect(holdsMount('/mnt', mounts)).toBe(true)
})

it('the mount table of a process is read at most once a second', () => {
  let now = 0
  let kind = 'ext4'
  const table = new MountTable(
    () => line('/', kind),
    () => now,
  )
  const isLocalAt = (ms: number) => {
    now = ms
    return table.mounts().get('/')?.isLocal
  }
  expect(isLocalAt(0)).toBe(true)
  kind = 'nfs'
  expect([isLocalAt(999), isLocalAt(1_000)]).toEqual([true, false])
})
