import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Area } from '@canopy/domain'
import { temporaryDirectory } from '@canopy/test-support'
import type { WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type AreaFinding, checkArea, createArea, inspectArea } from '../src/admin.js'
import { areaDirectory } from '../src/resolve/areas.js'
import { type OpenPinned, pinByPath } from '../src/resolve/openPinned.js'
import { asNobody, dir, file, inArea, openIn, rootAt } from './temporaryArea.js'

const refused = (reason: RegExp, hint?: RegExp) =>
  E.left({
    error: 'cannot create area',
    reason: expect.stringMatching(reason),
    hint: hint && expect.stringMatching(hint),
  })

describe('createArea', () => {
  const root = rootAt(temporaryDirectory(afterAll))
  beforeAll(() => {
    writeFileSync(join(root, 'file'), '')
    mkdirSync(join(root, 'there'))
    for (const [link, target] of Object.entries({ 'to-there': 'there', 'to-file': 'file', lost: 'nowhere' }))
      symlinkSync(target, join(root, link))
  })

  const create = (location: string) => createArea(root, Area.location(location))()
  const check = (location: string) => checkArea(root, Area.location(location))()
  const created = (directory: string, more: object = {}) =>
    E.right({ directory, isNew: true, isMountPoint: false, ...more })

  it.each(['alice', 'teams/one/bob', '..dots', 'a/../carol', ' ', 'to-there/below'])(
    'checks %j without writing, then creates it and its parents',
    async (name) => {
      expect(E.isRight(await check(name))).toBe(true)
      expect(existsSync(join(root, name))).toBe(false)
      expect(await create(name)).toEqual(created(areaDirectory(root, Area.location(name))))
      expect(statSync(join(root, name)).isDirectory()).toBe(true)
    },
  )

  it('uses an existing directory, also through a link, and reports a mount point', async () => {
    for (const location of ['there', 'to-there']) {
      expect(E.isRight(await check(location))).toBe(true)
      expect(await create(location)).toEqual(created(join(root, location), { isNew: false }))
    }
    expect(await create('/proc')).toEqual(created('/proc', { isNew: false, isMountPoint: true }))
  })

  it('creates a directory once for concurrent callers', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => create('many/of/them')))
    expect(made.filter((each) => E.isRight(each) && each.right.isNew)).toHaveLength(1)
    expect(made.every(E.isRight)).toBe(true)
  })

  it.each<[string, RegExp, RegExp | undefined]>([
    ['..', /is outside the storage/, /absolute path/],
    ['../x', /is outside the storage/, /absolute path/],
    ['a/../../x', /is outside the storage/, /absolute path/],
    ['file', /not a directory/, /^move it out of the way/],
    ['file/x', /not a directory/, /^move it out of the way/],
    ['to-file/x/y', /not a directory/, /^move it out of the way/],
    ['lost', /lost or one of its parents is not a directory/, /^move it out of the way/],
    ['lost/below', /lost\/below or one of its parents is not a directory/, /^move it out of the way/],
    ['/proc/no/user/makes/this', /cannot be created: no directory can be created there/, /another location/],
    ['n'.repeat(256), /cannot be created: .*ENAMETOOLONG/, undefined],
    ['', /needs a location/, /specify a directory/],
    ['a\0b', /NUL/, undefined],
  ])('refuses %j with a hint', async (location, reason, hint) => {
    expect(await create(location)).toEqual(refused(reason, hint))
    expect(await check(location)).toEqual(refused(reason, hint))
  })

  it('checks that no directory can be created in sysfs, even by root', async () => {
    expect(await check('/sys/none')).toEqual(
      refused(/cannot be created: no directory can be created there/, /another location/),
    )
  })

  it('reports a full disk', async (context) => {
    const full = join(root, 'full')
    mkdirSync(full)
    // Not run where this user may not mount.
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'nr_inodes=1', 'tmpfs', full]).status !== 0) return context.skip()
    onTestFinished(() => void spawnSync('umount', ['-l', full]))
    expect(await create('full/1')).toEqual(
      refused(/1 cannot be created: Error: ENOSPC/, /quota is full: free some space$/),
    )
  })

  it('reports a missing permission', async () => {
    chmodSync(root, 0o555)
    expect(await asNobody(() => create('forbidden'))).toEqual(
      refused(/^permission denied: cannot create/, /^create it as a user who has permission/),
    )
    // The check asks for the real user, which only another process can change.
    const program = `
      import { checkArea } from ${JSON.stringify(new URL('../dist/admin.js', import.meta.url).href)}
      // Only now, because nobody else may read the checkout.
      if (process.getuid() === 0) process.setuid(65_534)
      console.log((await checkArea(process.argv[1], 'forbidden')()).left.reason)`
    const words = ['--input-type=module', '--eval', program, root]
    expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).toMatch(/^permission denied: cannot create/)
    chmodSync(root, 0o755)
  })
})

const findings = async (directory: string, pin?: OpenPinned, lookedFor?: (name: string) => boolean) => {
  const all: Array<AreaFinding> = []
  for await (const finding of inspectArea(directory, lookedFor, pin)) all.push(finding)
  return all
}

const undecodable = (name: string): WorldNode => ({ type: 'undecodable', name })

const levels = (count: number, name: string, bottom: WorldNode): WorldNode =>
  count === 0 ? bottom : dir(name, levels(count - 1, name, bottom))

describe('inspectArea', () => {
  it('finds a missing root or a file in its place, and leaves no descriptor open', () =>
    inArea([file('f'), dir('a', file('f')), dir('b', file('f'))], async ({ root, directory }) => {
      const unreadable = (errno: string) => [{ finding: 'directory not readable', directory: '/', errno }]
      expect(await findings(directory)).toEqual([])
      expect(await findings(join(directory, 'missing'))).toEqual(unreadable('ENOENT'))
      expect(await findings(join(directory, 'f'))).toEqual(unreadable('ENOTDIR'))
      expect(openIn(root)).toEqual([])
    }))

  it('finds names that are not UTF-8, escaped, and links, without following them, depth first', () => {
    const b = dir('b', { type: 'link', name: 'up', target: '..' })
    return inArea([dir('a', undecodable('x'), b), undecodable('a\\b\n\x7f')], async ({ directory }) => {
      expect(await findings(directory)).toEqual([
        { finding: 'name not listable', directory: '/', name: 'a\\\\b\\x0a\\x7f\\xff\\xfe' },
        { finding: 'name not listable', directory: '/a', name: 'x\\xff\\xfe' },
        { finding: 'symbolic link', path: '/a/b/up' },
      ])
    })
  })

  it('finds directories that may not be read or entered', () =>
    inArea([dir('a'), dir('b', file('f')), dir('c')], async ({ directory, root }) => {
      chmodSync(root, 0o755)
      chmodSync(join(directory, 'a'), 0o111)
      chmodSync(join(directory, 'b'), 0o444)
      expect(await asNobody(() => findings(directory))).toEqual([
        { finding: 'directory not readable', directory: '/a', errno: 'EACCES' },
        { finding: 'directory not readable', directory: '/b', errno: 'EACCES' },
      ])
      for (const name of ['a', 'b']) chmodSync(join(directory, name), 0o755)
    }))

  it('reports a node that cannot be examined, and continues', () =>
    inArea([], async ({ directory }) => {
      // By a path, in an area that itself has a long one, a long name is too long for the system.
      const area = join(directory, ...Array.from({ length: 15 }, () => 'd'.repeat(250)), 'd'.repeat(100))
      const [long, name] = ['l'.repeat(250), Buffer.from([0xff])]
      mkdirSync(join(area, 'e'), { recursive: true })
      writeFileSync(Buffer.concat([Buffer.from(`${area}/e/`), name]), '')
      execFileSync('touch', [long], { cwd: area })
      const found = await findings(area, pinByPath)
      execFileSync('rm', [long], { cwd: area })
      expect(found).toEqual([
        { finding: 'node not known', path: `/${long}`, errno: 'ENAMETOOLONG' },
        { finding: 'name not listable', directory: '/e', name: '\\xff' },
      ])
    }))

  it.each<[string, WorldNode, string, ReadonlyArray<string>]>([
    [
      '255 names',
      levels(254, 'd', dir('d', file('f'), dir('e', undecodable('not reached')))),
      '/d'.repeat(255),
      ['e', 'f'],
    ],
    ['4,096 bytes', levels(16, 'd'.repeat(255), file('f')), `/${'d'.repeat(255)}`.repeat(16), ['f']],
  ])('reports paths of more than %s', (_, top, directory, names) =>
    inArea([top], async (area) => {
      expect(await findings(area.directory)).toEqual(
        names.map((name) => ({ finding: 'path too long', directory, name })),
      )
    }),
  )
})
