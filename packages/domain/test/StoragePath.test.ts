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

describe('a child is directly below its parent', () => {
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

const node = (path: string) => O.some({ path, mustBeDirectory: false })
const directory = (path: string) => O.some({ path, mustBeDirectory: true })

describe('absent path, empty path and / are the root', () => {
  it.each(['', '/'])('%j', (raw) => {
    expect(fromRaw(raw)).toStrictEqual(directory('/'))
  })
})

describe('one trailing slash is allowed and means "must be a directory"', () => {
  it('is no part of the path', () => {
    expect(fromRaw('/a')).toStrictEqual(node('/a'))
    expect(fromRaw('/a/')).toStrictEqual(directory('/a'))
    expect(fromRaw('/a/b/')).toStrictEqual(directory('/a/b'))
  })

  it.each(['/a//', '//', '///', '/a/b//'])('not two: %j', (raw) => {
    expect(fromRaw(raw)).toStrictEqual(O.none)
  })
})

describe('the path is the raw target split on / and %2F, each segment percent-decoded once, strictly', () => {
  it('an encoded slash is a slash', () => {
    expect(fromRaw('/a%2Fb')).toStrictEqual(node('/a/b'))
    expect(fromRaw('/a%2fb/c')).toStrictEqual(node('/a/b/c'))
    expect(fromRaw('/a%2F')).toStrictEqual(directory('/a'))
  })

  it.each(['/%2F', '/%2Fa', '/a%2F%2f', '/a%2F/', '/a%2F/b', '/a/%2Fb', '/..%2Fa', '/a%2F..', '%2F', '%2Fa'])(
    '%s names nothing: an empty segment, two dots, or no slash before it',
    (raw) => {
      expect(fromRaw(raw)).toStrictEqual(O.none)
    },
  )

  it('decodes once', () => {
    expect(fromRaw('/%252F')).toStrictEqual(node('/%2F'))
    expect(fromRaw('/%2525')).toStrictEqual(node('/%25'))
    expect(fromRaw('/%252e%252e')).toStrictEqual(node('/%2e%2e'))
  })

  it.each([
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
  it.each([
    ['a percent sign alone', '/%'],
    ['a percent sign at the end', '/a%'],
    ['half an escape', '/%4'],
    ['an escape that is not hexadecimal', '/%zz'],
    ['an escape of another dialect', '/%u0061'],
    ['a UTF-8 sequence cut short', '/%C3'],
    ['a UTF-8 sequence with a wrong second byte', '/%C3%28'],
    ['an overlong slash', '/%C0%AF'],
    ['an overlong slash of three bytes', '/%E0%80%AF'],
    ['a surrogate', '/%ED%A0%80'],
    ['a surrogate pair in six bytes', '/%ED%A0%BD%ED%B8%80'],
    ['a code point above U+10FFFF', '/%F4%90%80%80'],
    ['a byte that UTF-8 never has', '/%FF'],
    ['NUL', '/%00'],
    ['NUL inside a name', '/a%00b'],
    ['an empty segment', '/a//b'],
    ['an empty first segment', '//a'],
    ['a dot', '/.'],
    ['a dot inside', '/a/./b'],
    ['a dot, encoded', '/%2e'],
    ['two dots', '/..'],
    ['two dots inside', '/a/../b'],
    ['two dots before a trailing slash', '/a/../'],
    ['two dots, encoded', '/%2e%2e'],
    ['two dots, one encoded', '/.%2E'],
    ['text that does not begin with a slash', 'ab'],
  ])('%s: %s', (_, raw) => {
    expect(fromRaw(raw)).toStrictEqual(O.none)
  })

  it('whatever is around it', () => {
    fc.assert(
      fc.property(illegalRawPath, (raw) => {
        expect(fromRaw(raw)).toStrictEqual(O.none)
      }),
    )
  })
})

describe('what a raw path names is a legal path', () => {
  it('and never fails in another way', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          rawPath,
          fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `/${text}`),
        ),
        (raw) => {
          expect(O.getOrElse(() => ({ path: StoragePath.root }))(fromRaw(raw)).path).toSatisfy(StoragePath.is)
        },
      ),
    )
  })
})
