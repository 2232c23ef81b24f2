import * as fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { name, storagePath } from '../../testkit/src/arbitraries/names.js'
import * as StoragePath from '../src/StoragePath.js'
import { name as nameOf, path } from './literals.js'
import { refusal } from './refusal.js'

const names = (count: number, text = 'a') => Array.from({ length: count }, () => nameOf(text))

/** A path of so many bytes, from 3,841 to 4,095. */
const bytes = (count: number): string => {
  const full = `${'x'.repeat(255)}/`.repeat(15)
  return `/${full}${'x'.repeat(count - full.length)}`
}

describe('a path has one spelling', () => {
  it.each(['/', '/a', '/a/b', '/ ', '/...', '/%2F', '/a\\b'])('%j is a path', (text) => {
    expect(StoragePath.fromString(text)).toStrictEqual(O.some(text))
  })

  it.each([
    '',
    'a',
    'ab',
    'a/b',
    'ab/c',
    '//',
    '/a/',
    '//a',
    '/a//b',
    '/.',
    '/..',
    '/a/../b',
    '/a/./b',
    '/a\0',
    '/\ud800',
  ])('%j is none', (text) => {
    expect(StoragePath.fromString(text)).toStrictEqual(O.none)
    expect(refusal(StoragePath.codec, text)).toStrictEqual([
      'must be "/" or "/name/name", of at most 255 names and 4,096 bytes',
    ])
  })

  it.each([1, null, undefined, ['/a']])('is not: %j', (u) => {
    expect(StoragePath.is(u)).toBe(false)
  })

  it('is made of its segments', () => {
    fc.assert(
      fc.property(storagePath, (at) => {
        expect(pipe(at, StoragePath.segments, StoragePath.fromNames)).toStrictEqual(O.some(at))
      }),
    )
  })

  it('is the root when it has no names', () => {
    expect(StoragePath.fromNames([])).toStrictEqual(O.some(StoragePath.root))
    expect(StoragePath.segments(StoragePath.root)).toStrictEqual([])
  })
})

describe('a path has at most 255 segments and 4,096 bytes', () => {
  it('of 255 segments is a path, of 256 none', () => {
    expect(O.isSome(StoragePath.fromNames(names(255)))).toBe(true)
    expect(StoragePath.fromNames(names(256))).toStrictEqual(O.none)
    expect(O.isSome(StoragePath.fromString('/a'.repeat(255)))).toBe(true)
    expect(StoragePath.fromString('/a'.repeat(256))).toStrictEqual(O.none)
  })

  it('of 4,096 bytes is a path, of 4,097 none', () => {
    expect(O.isSome(StoragePath.fromString(`${bytes(4094)}/x`))).toBe(true)
    expect(StoragePath.fromString(`${bytes(4095)}/x`)).toStrictEqual(O.none)
  })

  it('counts bytes, not characters', () => {
    // 17 names of 240 bytes in 80 characters each, and 16 slashes.
    expect(O.isSome(StoragePath.fromNames(names(17, '～'.repeat(80))))).toBe(true)
    expect(StoragePath.fromNames(names(18, '～'.repeat(80)))).toStrictEqual(O.none)
  })
})

describe('a child stands directly below its parent', () => {
  it('is its parent with one segment more', () => {
    fc.assert(
      fc.property(storagePath, name, (at, last) => {
        expect(StoragePath.child(at, last)).toStrictEqual(StoragePath.fromNames([...StoragePath.segments(at), last]))
      }),
    )
  })

  it('knows its name and its parent', () => {
    fc.assert(
      fc.property(storagePath, name, (at, last) => {
        const child = StoragePath.child(at, last)
        expect(O.map(StoragePath.name)(child)).toStrictEqual(O.map(() => last)(child))
        expect(O.flatMap(StoragePath.parent)(child)).toStrictEqual(O.map(() => at)(child))
      }),
    )
  })

  it('is none when it would break a bound', () => {
    expect(StoragePath.child(path('/a'.repeat(255)), nameOf('a'))).toStrictEqual(O.none)
    expect(StoragePath.child(path('/a'.repeat(254)), nameOf('a'))).toStrictEqual(O.some('/a'.repeat(255)))
    expect(StoragePath.child(path(bytes(4095)), nameOf('x'))).toStrictEqual(O.none)
    expect(O.isSome(StoragePath.child(path(bytes(4094)), nameOf('x')))).toBe(true)
  })
})

describe('the root has no parent and no name', () => {
  it('has none', () => {
    expect(StoragePath.parent(StoragePath.root)).toStrictEqual(O.none)
    expect(StoragePath.name(StoragePath.root)).toBe('')
  })
})

describe('upwards goes from a path to the root, nearest first', () => {
  it('starts at the path, ends at the root, each the parent of the one before', () => {
    fc.assert(
      fc.property(storagePath, (at) => {
        const way = StoragePath.upwards(at)
        expect(way[0]).toBe(at)
        expect(way.at(-1)).toBe(StoragePath.root)
        expect(way).toHaveLength(StoragePath.segments(at).length + 1)
        expect(way.slice(1).map(O.some)).toStrictEqual(way.slice(0, -1).map(StoragePath.parent))
      }),
    )
  })
})

describe('a path contains itself and what is below it', () => {
  it('contains another exactly when it is on the way up from there', () => {
    fc.assert(
      fc.property(storagePath, storagePath, (x, y) => {
        expect(StoragePath.contains(x)(y)).toBe(StoragePath.upwards(y).includes(x))
      }),
    )
  })

  it('is decided segment by segment', () => {
    const photos = StoragePath.contains(path('/photos'))
    expect(photos(path('/photos'))).toBe(true)
    expect(photos(path('/photos/a'))).toBe(true)
    expect(photos(path('/photos2'))).toBe(false)
    expect(photos(path('/photos2/photos'))).toBe(false)
    expect(photos(StoragePath.root)).toBe(false)
  })

  it('the root contains everything', () => {
    fc.assert(
      fc.property(storagePath, (at) => {
        expect(StoragePath.contains(StoragePath.root)(at)).toBe(true)
      }),
    )
  })
})
