import * as fc from 'fast-check'
import { pipe } from 'fp-ts/lib/function.js'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { illegalRawPath, name, rawPath, spelledPath, storagePath } from '../../testkit/src/arbitraries/names.js'
import * as StoragePath from '../src/StoragePath.js'
import { name as nameOf, path } from './support.js'

const { fromRaw } = StoragePath

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

  it('is made of its segments, and is the root when it has none', () => {
    fc.assert(
      fc.property(storagePath, (at) => {
        expect(pipe(at, StoragePath.segments, StoragePath.fromNames)).toStrictEqual(O.some(at))
      }),
    )
    expect(StoragePath.fromNames([])).toStrictEqual(O.some(StoragePath.root))
  })
})

describe('a path has at most 255 segments and 4,096 bytes, decoded', () => {
  it.each<[string, number, (times: number) => O.Option<unknown>]>([
    ['names', 255, (times) => StoragePath.fromNames(names(times))],
    ['segments', 255, (times) => StoragePath.fromString('/a'.repeat(times))],
    // 17 names of 240 bytes in 80 characters each, and 16 slashes.
    ['names of wide characters', 17, (times) => StoragePath.fromNames(names(times, '\uff5e'.repeat(80)))],
    ['bytes', 4094, (count) => StoragePath.fromString(`${bytes(count)}/x`)],
    ['segments of children', 255, (times) => StoragePath.child(path('/a'.repeat(times - 1)), nameOf('a'))],
    ['bytes of children', 4094, (count) => StoragePath.child(path(bytes(count)), nameOf('x'))],
    ['raw segments', 255, (times) => fromRaw(`${'/a'.repeat(times)}/`)],
    ['encoded slashes', 254, (times) => fromRaw(`/a${'%2Fa'.repeat(times)}%2F`)],
    ['raw bytes', 4094, (count) => fromRaw(`${bytes(count)}/x`)],
    ['encoded bytes', 4094, (count) => fromRaw(`${bytes(count).replaceAll('x', '%78')}/x/`)],
    ['bytes of a segment', 255, (times) => fromRaw(`/${'x'.repeat(times)}`)],
    ['encoded bytes of a segment', 255, (times) => fromRaw(`/${'%78'.repeat(times)}`)],
    ['characters of two bytes', 127, (times) => fromRaw(`/${'%C3%A9'.repeat(times)}`)],
    ['characters of four bytes', 63, (times) => fromRaw(`/${'%F0%9F%98%80'.repeat(times)}`)],
  ])('%s: %i fit, and one more does not', (_, most, make) => {
    expect([make(most), make(most + 1)].map(O.isSome)).toStrictEqual([true, false])
  })
})

it('a child is its parent with one segment more, and knows its name and its parent', () => {
  fc.assert(
    fc.property(storagePath, name, (at, last) => {
      const child = StoragePath.child(at, last)
      expect(child).toStrictEqual(StoragePath.fromNames([...StoragePath.segments(at), last]))
      expect(O.map(StoragePath.name)(child)).toStrictEqual(O.map(() => last)(child))
      expect(O.flatMap(StoragePath.parent)(child)).toStrictEqual(O.map(() => at)(child))
    }),
  )
})

it('the root has no parent and no name', () => {
  expect(StoragePath.parent(StoragePath.root)).toStrictEqual(O.none)
  expect(StoragePath.name(StoragePath.root)).toBe('')
})

it('upwards goes from a path to the root, each the parent of the one before', () => {
  fc.assert(
    fc.property(storagePath, (at) => {
      const way = StoragePath.upwards(at)
      expect([way[0], way.at(-1)]).toStrictEqual([at, StoragePath.root])
      expect(way).toHaveLength(StoragePath.segments(at).length + 1)
      expect(way.slice(1).map(O.some)).toStrictEqual(way.slice(0, -1).map(StoragePath.parent))
    }),
  )
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
    const at = ['/photos', '/photos/a', '/photos2', '/photos2/photos', '/'].map(path)
    expect(at.map(StoragePath.contains(path('/photos')))).toStrictEqual([true, true, false, false, false])
    expect(at.every(StoragePath.contains(StoragePath.root))).toBe(true)
  })
})

const node = (path: string) => O.some({ path, mustBeDirectory: false })
const directory = (path: string) => O.some({ path, mustBeDirectory: true })

describe('the path is the raw target split on / and %2F, each segment percent-decoded once, strictly', () => {
  it.each(['', '/'])('absent path, empty path and / are the root: %j', (raw) => {
    expect(fromRaw(raw)).toStrictEqual(directory('/'))
  })

  it.each([
    ['/a/', '/a'],
    ['/a/b/', '/a/b'],
    ['/a%2F', '/a'],
  ])('%s has a trailing slash, which means "must be a directory" and is no part of %s', (raw, path) => {
    expect(fromRaw(raw)).toStrictEqual(directory(path))
  })

  it.each([
    ['/a', '/a'],
    ['/a%2Fb', '/a/b'],
    ['/a%2fb/c', '/a/b/c'],
    ['/%252F', '/%2F'],
    ['/%2525', '/%25'],
    ['/%252e%252e', '/%2e%2e'],
    ['/a%20b', '/a b'],
    ['/a+b', '/a+b'],
    ['/%61', '/a'],
    ['/%C3%A9', '/é'],
    ['/%c3%a9', '/é'],
    ['/e%CC%81', '/e\u0301'],
    ['/%F0%9F%98%80', '/😀'],
    ['/%EF%BB%BF', '/\ufeff'],
    ['/%3F%23', '/?#'],
    ['/%0A', '/\n'],
    ['/%5C', '/\\'],
    ['/...', '/...'],
    ['/%2e%2e%2e', '/...'],
    ['/__proto__', '/__proto__'],
  ])('%s names %j', (raw, path) => {
    expect(fromRaw(raw)).toStrictEqual(node(path))
  })

  it('a path is what it was encoded from', () => {
    fc.assert(
      fc.property(storagePath, (path) => {
        const raw = StoragePath.segments(path)
          .map((name) => `/${encodeURIComponent(name)}`)
          .join('')
        expect(fromRaw(raw)).toStrictEqual(path === '/' ? directory(path) : node(path))
      }),
    )
  })

  it('every spelling of a path names it', () => {
    fc.assert(
      fc.property(spelledPath, ({ raw, path, mustBeDirectory }) => {
        expect(fromRaw(raw)).toStrictEqual(O.some({ path, mustBeDirectory }))
      }),
    )
  })
})

describe('what is malformed names nothing', () => {
  const notEscapes = ['/%', '/a%', '/%4', '/%zz', '/%u0061']
  const cut = ['/%C3', '/%C3%28']
  const overlong = ['/%C0%AF', '/%E0%80%AF']
  const surrogates = ['/%ED%A0%80', '/%ED%A0%BD%ED%B8%80']
  const beyondUtf8 = ['/%F4%90%80%80', '/%FF']
  const nul = ['/%00', '/a%00b']
  const empty = ['/a//b', '//a', '/a//', '//', '///', '/a/b//']
  const dots = ['/.', '/a/./b', '/%2e', '/..', '/a/../b', '/a/../', '/%2e%2e', '/.%2E']
  const encodedSlashes = [
    '/%2F',
    '/%2Fa',
    '/a%2F%2f',
    '/a%2F/',
    '/a%2F/b',
    '/a/%2Fb',
    '/..%2Fa',
    '/a%2F..',
    '%2F',
    '%2Fa',
  ]
  const noSlashBefore = ['ab']

  it.each([notEscapes, cut, overlong, surrogates, beyondUtf8, nul, empty, dots, encodedSlashes, noSlashBefore].flat())(
    '%s',
    (raw) => {
      expect(fromRaw(raw)).toStrictEqual(O.none)
    },
  )

  it('whatever is around it', () => {
    fc.assert(
      fc.property(illegalRawPath, (raw) => {
        expect(fromRaw(raw)).toStrictEqual(O.none)
      }),
    )
  })
})

it('what a raw path names is a legal path, and it never fails in another way', () => {
  const any = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `/${text}`)
  fc.assert(
    fc.property(fc.oneof(rawPath, any), (raw) => {
      expect(O.getOrElse(() => ({ path: StoragePath.root }))(fromRaw(raw)).path).toSatisfy(StoragePath.is)
    }),
  )
})
