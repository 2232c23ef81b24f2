import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Name } from '@canopy/domain'
import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { packOf } from '../src/packedEntries.js'
import type { Part } from '../src/readDirectory.js'
import { hasOtherNames, listingOf, partsOf } from '../src/readDirectory.js'
import { asNobody, at, besideWorker, dir, file, inArea, unpacked } from './temporaryArea.js'

const external = (code: string) => E.left({ error: 'external', cause: expect.objectContaining({ code }) })

const right = E.getOrElseW((failure) => {
  throw new Error(`the listing failed: ${JSON.stringify(failure)}`)
})

const found = (directory: string): ReadonlyArray<string> =>
  execFileSync('find', [directory, '-mindepth', '1', '-maxdepth', '1', '-printf', '%f %y %s %T@\\0'], {
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
    .split('\0')
    .filter((line) => line !== '')
    .map((line) => line.replace(/ d \d+ /, ' d 0 ').replace(/\.\d+$/, ''))

describe('a listing of 10,000 entries', () => {
  it('tells what find tells', () => {
    const nodes = Array.from({ length: 10_000 }, (_, i) =>
      i % 10 === 0 ? dir(`${(i * 7919) % 10_000}-\u00e9`) : file(`${(i * 7919) % 10_000}`, BigInt(i)),
    )
    return inArea(nodes, async ({ ports, area, directory }) => {
      const { entries } = right(await ports.list(area, at('/'))())
      const lines = Array.from(entries, (entry) =>
        entry.type === 'file'
          ? `${entry.name} f ${entry.size} ${entry.last_modified}`
          : `${entry.name} d 0 ${entry.last_modified}`,
      )
      expect(lines).toHaveLength(10_000)
      expect([...lines].sort()).toEqual([...found(directory)].sort())
    })
  })
})

describe('a listing', () => {
  it('leaves out what vanishes meanwhile, and stays whole otherwise', () => {
    const stay = Array.from({ length: 200 }, (_, i) => `stay-${i}`)
    const comeAndGo = `
      for (let i = 0; i < 50; i++) fs.closeSync(fs.openSync(at + '/passing-' + i, 'w'))
      for (let i = 0; i < 50; i++) fs.unlinkSync(at + '/passing-' + i)`
    return inArea(
      stay.map((name) => file(name)),
      ({ ports, area, directory }) =>
        besideWorker(comeAndGo, directory, async () => {
          for (let round = 0; round < 300; round++) {
            const { entries } = right(await ports.list(area, at('/'))())
            expect([...entries].filter(({ name }) => name.startsWith('stay-'))).toHaveLength(stay.length)
          }
        }),
    )
  })

  it('is `external` when the directory may not be read', () =>
    inArea([dir('d', file('f'))], async ({ ports, area, directory, root }) => {
      chmodSync(root, 0o755)
      chmodSync(join(directory, 'd'), 0o111)
      const [listed, node] = await asNobody(() =>
        Promise.all([ports.list(area, at('/d'))(), ports.nodeAt(area, at('/d/f'))()]),
      )
      expect(listed).toEqual(external('EACCES'))
      expect(node).toEqual(E.right(expect.objectContaining({ type: 'file' })))
      chmodSync(join(directory, 'd'), 0o755)
    }))

  const unknown = (names: ReadonlyArray<string>) =>
    E.right(
      expect.objectContaining({
        unlistable: 0,
        entries: expect.objectContaining({ length: 0 }),
        unknown: { names, cause: expect.objectContaining({ code: 'EACCES' }) },
      }),
    )

  it('names the entries that may not be looked at', () =>
    inArea([dir('d', file('f'), dir('\u00e9'))], async ({ ports, area, directory, root }) => {
      chmodSync(root, 0o755)
      chmodSync(join(directory, 'd'), 0o444)
      const [listed, node, missing] = await asNobody(() =>
        Promise.all([
          ports.list(area, at('/d'))(),
          ports.nodeAt(area, at('/d/f'))(),
          ports.nodeAt(area, at('/d/missing'))(),
        ]),
      )
      expect(listed).toEqual(unknown(['f', '\u00e9']))
      expect(node).toEqual(external('EACCES'))
      expect(missing).toEqual(external('EACCES'))
      chmodSync(join(directory, 'd'), 0o755)
    }))

  const many = Array.from({ length: 5000 }, (_, i) => file(`${i}`))

  it('of a large directory is `external` and names entries for the same reasons', () =>
    inArea([dir('d', ...many), dir('e', ...many)], async ({ ports, area, directory, root }) => {
      chmodSync(root, 0o755)
      chmodSync(join(directory, 'd'), 0o111)
      chmodSync(join(directory, 'e'), 0o444)
      expect(await asNobody(() => Promise.all([ports.list(area, at('/d'))(), ports.list(area, at('/e'))()]))).toEqual([
        external('EACCES'),
        unknown(many.map(({ name }) => name).sort()),
      ])
      chmodSync(join(directory, 'd'), 0o755)
      chmodSync(join(directory, 'e'), 0o755)
    }))

  it('of a large directory is whole for who may read it', () =>
    inArea(many, async ({ ports, area, directory, root }) => {
      chmodSync(root, 0o755)
      chmodSync(directory, 0o755)
      const { entries } = right(await asNobody(ports.list(area, at('/'))))
      expect(entries).toHaveLength(many.length)
    }))

  it.each([3, 5000])('of %d files leaves out links and names that are not UTF-8, and counts the latter', (count) =>
    inArea([dir('d', ...many.slice(0, count))], async ({ ports, area, directory }) => {
      symlinkSync('0', join(directory, 'd', 'link'))
      writeFileSync(Buffer.concat([Buffer.from(`${directory}/d/`), Buffer.from([0xff, 0x61])]), '')
      writeFileSync(join(directory, 'd', '\u00e9'), '')
      const { entries, unlistable } = right(await ports.list(area, at('/d'))())
      expect([entries.length, entries.at(-1)?.name, unlistable]).toEqual([count + 1, '\u00e9', 1])
    }),
  )

  it('is one of an area whose root may not be entered: `external`', () =>
    inArea([file('f')], async ({ ports, area, directory, root }) => {
      chmodSync(root, 0o755)
      chmodSync(directory, 0o000)
      expect(await asNobody(ports.list(area, at('/')))).toEqual(external('EACCES'))
      expect(await asNobody(ports.nodeAt(area, at('/f')))).toEqual(external('EACCES'))
      chmodSync(directory, 0o755)
      expect(lstatSync(directory).isDirectory()).toBe(true)
    }))
})

const part = (names: ReadonlyArray<string>, more: Partial<Part> = {}): Part => ({
  pack: packOf(
    names as ReadonlyArray<Name.Name>,
    new BigUint64Array(names.flatMap((_, index) => [BigInt(index), 17n])),
  ),
  otherNames: false,
  unlistable: 0,
  ...more,
})

const listed = (parts: ReadonlyArray<Part>) => unpacked(listingOf(parts))

const entry = (name: string, size: bigint) => ({ type: 'file', name, size, last_modified: 17n })

const unknown = (names: ReadonlyArray<string>, code: string): Part['unknown'] => ({
  names: names as ReadonlyArray<Name.Name>,
  trouble: { code, message: `${code}: lstat` },
})

describe('a listing of parts', () => {
  it('is made of its parts in their order', () => {
    expect(listed([part(['a', 'b']), part(['c', '\u00e9'])])).toEqual({
      entries: [entry('a', 0n), entry('b', 1n), entry('c', 0n), entry('\u00e9', 1n)],
      unlistable: 0,
    })
  })

  it('of an empty directory is empty', () => {
    expect(listed([part([])])).toEqual({ entries: [], unlistable: 0 })
    expect(listed([])).toEqual({ entries: [], unlistable: 0 })
  })

  it('counts the names that are not valid UTF-8', () => {
    const odd = part(['a'], { unlistable: 2 })
    expect(listed([odd, part(['b'], { unlistable: 1 })]).unlistable).toBe(3)
  })

  it('names what could not be looked at, with the cause of the first', () => {
    const listing = listingOf([
      part(['a']),
      part(['b'], { unknown: unknown(['c', 'd\u00e9'], 'EIO') }),
      part([], { unknown: unknown(['e'], 'ENOTCONN') }),
    ])
    expect(listing.unknown?.names).toEqual(['c', 'd\u00e9', 'e'])
    expect(listing.unknown?.cause).toEqual(Object.assign(new Error('EIO: lstat'), { code: 'EIO' }))
    expect(listingOf([part(['a'])]).unknown).toBe(undefined)
  })

  it('has other names when a file in one of its parts has', () => {
    expect(hasOtherNames(listingOf([part(['a']), part(['b'], { otherNames: true })]))).toBe(true)
    expect(hasOtherNames(listingOf([part(['a']), part(['b'])]))).toBe(false)
  })

  it('gives parts of which the same listing is made elsewhere', () => {
    const parts = [part(['a'], { otherNames: true, unknown: unknown(['c'], 'EIO') }), part(['b'], { unlistable: 3 })]
    const again = listingOf(partsOf(listingOf(parts)))
    expect(unpacked(again)).toEqual(listed(parts))
    expect(hasOtherNames(again)).toBe(true)
  })
})
