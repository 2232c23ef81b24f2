import { mkdirSync, realpathSync, renameSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Failure } from '@canopy/domain'
import { seedDirectory, type WorldNode } from '@canopy/testkit'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { pinByDescriptor } from '../../src/resolve/openPinned.js'
import { areaAt, at, dir, file, fileNode, inArea, openIn, type TemporaryArea, unpacked } from '../temporaryArea.js'

const external = E.left({ error: 'external', cause: expect.anything() })
const listing = (...entries: ReadonlyArray<object>) => E.right({ entries, unlistable: 0 })

const elsewhere = ({ ports }: TemporaryArea, location: string) => ({
  nodeAt: (path: string) => ports.nodeAt(areaAt(location), at(path))(),
  list: async (path: string) => E.map(unpacked)(await ports.list(areaAt(location), at(path))()),
})

const under = (names: ReadonlyArray<string>, bottom: WorldNode): ReadonlyArray<WorldNode> => [
  names.reduceRight((below, name) => dir(name, below), bottom),
]

describe('the root of an area', () => {
  it.each([
    'link',
    'link to link',
    'link/d/..',
    'area (deleted)',
    'line\nbreak',
    ' ',
    '\\x',
    '\u00e9',
    'not UTF-8',
    '/',
  ])('may be given by any location, also through links: %j', (named) =>
    inArea([dir('d', file('f', 3n))], async (area) => {
      const odd = Buffer.concat([Buffer.from(`${area.root}/`), Buffer.from([0xff, 0x80])])
      symlinkSync('area', join(area.root, 'link'))
      symlinkSync(join(area.root, 'link'), join(area.root, 'link to link'))
      mkdirSync(odd)
      symlinkSync(odd, join(area.root, 'not UTF-8'))
      if (named !== '/' && !named.startsWith('link'))
        await seedDirectory(join(area.root, named), [dir('d', file('f', 3n))])
      for (const location of [named, resolve(area.root, named)]) {
        const { nodeAt, list } = elsewhere(area, location)
        const above = named === '/' ? area.directory : ''
        expect(await nodeAt(`${above}/d/f`)).toEqual(E.right(fileNode(3n)))
        expect(await list(`${above}/d`)).toEqual(listing({ ...fileNode(3n), name: 'f' }))
        expect(await nodeAt(`${above}/d/f/x`)).toEqual(E.left(Failure.typeMismatch))
        expect(await nodeAt('/')).toEqual(E.right({ type: 'dir', last_modified: expect.any(BigInt) }))
      }
    }),
  )

  it('is `external` at every path when it is not a directory', () =>
    inArea([file('f'), { type: 'fifo', name: 'pipe' }], async (area) => {
      symlinkSync('area/f', join(area.root, 'to-file'))
      symlinkSync('nowhere', join(area.root, 'to-nowhere'))
      symlinkSync('round', join(area.root, 'round'))
      const locations = ['missing', 'area/f', 'area/f/x', 'area/pipe', 'to-file', 'to-nowhere', 'round', 'NUL\0']
      for (const location of locations) {
        for (const path of ['/', '/f', '/f/x']) {
          expect(await elsewhere(area, location).nodeAt(path)).toEqual(external)
          expect(await elsewhere(area, location).list(path)).toEqual(external)
        }
      }
    }))

  it('moves visibly although its names are not UTF-8', () =>
    inArea([], async ({ root }) => {
      const named = (byte: number) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from([byte])])
      mkdirSync(named(0xff))
      symlinkSync(named(0xff), join(root, 'link'))
      const held = pinByDescriptor(join(root, 'link'), at('/'))
      if (E.isLeft(held)) throw new Error(held.left.error)
      expect(held.right.isInPlace()).toBe(true)
      renameSync(named(0xff), named(0xfe))
      expect(held.right.isInPlace()).toBe(false)
      held.right.close()
    }))

  it('may have a real path longer than the kernel reports', () => {
    const names = Array.from({ length: 20 }, (_, i) => `${i}`.padStart(255, '0'))
    return inArea(under(names, dir('d', file('f', 3n))), async (area) => {
      symlinkSync(join('area', ...names.slice(0, 10)), join(area.root, 'half'))
      symlinkSync(join('half', ...names.slice(10)), join(area.root, 'whole'))
      const { nodeAt, list } = elsewhere(area, 'whole')
      expect(await nodeAt('/d/f')).toEqual(E.right(fileNode(3n)))
      expect(await list('/d')).toEqual(listing({ ...fileNode(3n), name: 'f' }))
      await seedDirectory(join(area.root, 'secret'), [file('f', 3n)])
      const secret = `${realpathSync(area.root)}/secret`
      const [, top = ''] = secret.split('/')
      symlinkSync(`/${top}`, join(area.root, 'whole', top))
      expect(await nodeAt(secret)).toEqual(E.left(Failure.fileNotFound))
      expect(await list(secret)).toEqual(E.left(Failure.fileNotFound))
    })
  })
})

it('file descriptors are closed after every answer', () => {
  const link: WorldNode = { type: 'link', name: 'link', target: 'd' }
  const nodes = [dir('d', file('f'), dir('e')), file('f'), link, { type: 'fifo', name: 'pipe' }] as const
  return inArea(nodes, async ({ root, ports, area }) => {
    const long = `/${'x'.repeat(255)}/${'x'.repeat(255)}`
    const paths = ['/', '/f', '/d', '/d/f', '/x', '/x/y', '/f/x', '/link', '/link/f', '/pipe', '/pipe/x', long]
    const asked = [area, areaAt('missing'), areaAt('area/f'), areaAt('area/link')].flatMap((each) =>
      paths.flatMap((path) => [ports.nodeAt(each, at(path))(), ports.list(each, at(path))()]),
    )
    expect(new Set((await Promise.all<{ _tag: string }>(asked)).map(({ _tag }) => _tag)).size).toBe(2)
    expect(openIn(root)).toEqual([])
  })
})
