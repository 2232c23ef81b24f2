import { execFileSync } from 'node:child_process'
import type { BigIntStats } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '@canopy/domain'
import fc from 'fast-check'
import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { errnoOf, failureOfErrno, nameOfBytes, nodeOfStats } from '../src/decode.js'
import { at, dir, file, fileNode, inArea, temporaryArea, unpacked } from './temporaryArea.js'

// Every character but surrogates.
const character = fc
  .integer({ min: 0, max: 0x10f7ff })
  .map((nth) => String.fromCodePoint(nth < 0xd800 ? nth : nth + 0x800))

const bytes = (...each: ReadonlyArray<number>) => String.fromCharCode(...each)

describe('nameOfBytes', () => {
  it.each([
    ['a stray continuation byte', bytes(0x80)],
    ['a cut sequence', bytes(0x61, 0xc3)],
    ['an overlong slash', bytes(0xc0, 0xaf)],
    ['a surrogate', bytes(0xed, 0xa0, 0x80)],
    ['more than U+10FFFF', bytes(0xf4, 0x90, 0x80, 0x80)],
    ['latin1', bytes(0x63, 0x61, 0x66, 0xe9)],
    ['more than 255 bytes', 'x'.repeat(256)],
  ])('%s is no name', (_, text) => {
    expect(nameOfBytes(text)).toEqual(O.none)
  })

  it('keeps a leading U+FEFF', () => {
    expect(nameOfBytes(bytes(0xef, 0xbb, 0xbf, 0x61))).toEqual(O.some('\ufeffa'))
  })

  it('reads every name from its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: character, minLength: 1, maxLength: 60 }), (text) => {
        fc.pre(!/[/\0]/.test(text) && text !== '.' && text !== '..')
        expect(nameOfBytes(Buffer.from(text).toString('latin1'))).toEqual(O.some(text))
      }),
    )
  })
})

describe('last_modified', () => {
  it.each([
    ['1970-01-01T00:00:01.999999999Z', 1n],
    ['1970-01-01T00:00:00.999999999Z', 0n],
    ['1969-12-31T23:59:59.5Z', 0n],
    ['1960-01-01T00:00:00Z', 0n],
    ['2038-01-19T03:14:08Z', 2_147_483_648n],
    ['2106-02-07T06:28:16.25Z', 4_294_967_296n],
  ])('of %s is %d', (date, last_modified) =>
    inArea([file('f')], async ({ ports, area, directory }) => {
      execFileSync('touch', ['-d', date, join(directory, 'f')])
      expect(await ports.nodeAt(area, at('/f'))()).toEqual(E.right({ ...fileNode(0n), last_modified }))
    }),
  )
})

describe('last_modified on a file system with times of 64 bits', () => {
  it.each([
    ['of 2^63-1 s, which Node gives as -2^63', 2n ** 63n - 1n, 2n ** 63n - 1n],
    ['of 2^63-512 s, the first that Node gives as -2^63', 2n ** 63n - 512n, 2n ** 63n - 1n],
    ['of 2^63-513 s, to the nearest that Node gives', 2n ** 63n - 513n, 2n ** 63n - 1024n],
    ['of 2^53 s', 2n ** 53n, 2n ** 53n],
    ['of the year 2262, where nanoseconds pass 2^63', 9_223_372_037n, 9_223_372_037n],
    ['of -2^63 s', -(2n ** 63n), 0n],
    ['of -1 s', -1n, 0n],
  ])('%s', async (_, seconds, last_modified) => {
    const { ports, area, directory, close } = await temporaryArea([file('f'), dir('d')], undefined, '/dev/shm')
    try {
      execFileSync('touch', ['-d', `@${seconds}`, join(directory, 'f'), join(directory, 'd')])
      expect(await ports.nodeAt(area, at('/f'))()).toEqual(E.right({ ...fileNode(0n), last_modified }))
      expect(await ports.nodeAt(area, at('/d'))()).toEqual(E.right({ type: 'dir', last_modified }))
      expect(E.map(unpacked)(await ports.list(area, at('/'))())).toMatchObject({
        right: {
          entries: [
            { name: 'd', last_modified },
            { name: 'f', last_modified },
          ],
        },
      })
    } finally {
      await close()
    }
  })
})

describe('size', () => {
  // The largest sparse file that one of the places at hand can hold: above 2^53 where memory is a file system.
  const sizes = [2n ** 63n - 1n, 2n ** 53n + 1n, 2n ** 44n - 4096n - 1n, 2n ** 42n + 1n, 2n ** 32n + 1n]
  const places = ['/dev/shm', undefined]

  it('is exact, however large', async () => {
    const planted: Array<bigint> = []
    for (const size of sizes) {
      for (const above of places) {
        if (planted.length > 0) break
        const area = await temporaryArea([file('f', size)], undefined, above).catch(() => undefined)
        if (area === undefined) continue
        planted.push(size)
        const node = await area.ports.nodeAt(area.area, at('/f'))()
        const listing = E.map(unpacked)(await area.ports.list(area.area, at('/'))())
        await area.close()
        expect(node).toEqual(E.right(fileNode(size)))
        expect(listing).toEqual(E.right({ entries: [{ ...fileNode(size), name: 'f' }], unlistable: 0 }))
      }
    }
    expect(planted).toHaveLength(1)
  })
})

describe('a node is a file or a directory', () => {
  const stats = (kind: 'file' | 'dir' | 'socket') =>
    ({
      isFile: () => kind === 'file',
      isDirectory: () => kind === 'dir',
      mtimeNs: 1_999_999_999n,
      size: 4096n,
    }) as BigIntStats

  it('a file has a size, a directory has none', () => {
    expect(nodeOfStats(stats('file'), '/')).toStrictEqual(O.some({ type: 'file', size: 4096n, last_modified: 1n }))
    expect(nodeOfStats(stats('dir'), '/')).toStrictEqual(O.some({ type: 'dir', last_modified: 1n }))
  })

  it('anything else does not exist', () => {
    expect(nodeOfStats(stats('socket'), '/')).toStrictEqual(O.none)
  })
})

const thrown = (code: string) => Object.assign(new Error(code), { code })

describe('failureOfErrno', () => {
  it.each(['ENOENT', 'ENAMETOOLONG', 'ELOOP'])('%s is `file not found`', (code) => {
    expect(failureOfErrno(thrown(code))).toEqual(Failure.fileNotFound)
  })

  it('ENOTDIR is `type mismatch`', () => {
    expect(failureOfErrno(thrown('ENOTDIR'))).toEqual(Failure.typeMismatch)
  })

  it.each(['EACCES', 'EPERM', 'EIO', 'EMFILE', 'ENFILE', 'ENOMEM', 'ESTALE', 'ETIMEDOUT', 'ENOTCONN'])(
    '%s is `external`, with its cause',
    (code) => {
      const cause = thrown(code)
      expect(failureOfErrno(cause)).toEqual(Failure.external(cause))
    },
  )

  it.each([new Error('no code'), 'text', undefined, { code: 'ENOENT' }])(
    'what is no error of the file system is `external`: %s',
    (cause) => {
      expect(failureOfErrno(cause)).toEqual(Failure.external(cause))
    },
  )
})

it('is the name of the errno, or empty', () => {
  expect(errnoOf(Object.assign(new Error('EIO'), { code: 'EIO' }))).toBe('EIO')
  expect(errnoOf(new Error('EIO'))).toBe('')
  expect(errnoOf(Object.assign(new Error('EIO'), { code: 5 }))).toBe('')
  expect(errnoOf({ code: 'EIO' })).toBe('')
})
