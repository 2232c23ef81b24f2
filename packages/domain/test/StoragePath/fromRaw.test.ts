import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { illegalRawPath, rawPath, spelledPath, storagePath } from '../../../testkit/src/arbitraries/names.js'
import * as StoragePath from '../../src/StoragePath.js'

const { fromRaw } = StoragePath

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

  it('whatever stands around it', () => {
    fc.assert(
      fc.property(illegalRawPath, (raw) => {
        expect(fromRaw(raw)).toStrictEqual(O.none)
      }),
    )
  })
})

describe('bounds count what is decoded', () => {
  it.each([
    ['x', 255],
    ['%78', 255],
    ['%C3%A9', 127],
    ['%F0%9F%98%80', 63],
  ])('a segment of %s fits %i times', (spelling, times) => {
    expect(O.isSome(fromRaw(`/${spelling.repeat(times)}`))).toBe(true)
    expect(fromRaw(`/${spelling.repeat(times + 1)}`)).toStrictEqual(O.none)
  })

  it('255 segments fit, 256 do not', () => {
    expect(O.isSome(fromRaw('/a'.repeat(255)))).toBe(true)
    expect(O.isSome(fromRaw(`${'/a'.repeat(255)}/`))).toBe(true)
    expect(fromRaw('/a'.repeat(256))).toStrictEqual(O.none)
    expect(O.isSome(fromRaw(`/a${'%2Fa'.repeat(254)}%2F`))).toBe(true)
    expect(fromRaw(`/a${'%2Fa'.repeat(255)}`)).toStrictEqual(O.none)
  })

  it('4,096 bytes fit, 4,097 do not', () => {
    const sixteen = `/${'x'.repeat(255)}`.repeat(15)
    expect(O.isSome(fromRaw(`${sixteen}/${'x'.repeat(254)}/x`))).toBe(true)
    expect(O.isSome(fromRaw(`${sixteen}/${'%78'.repeat(254)}/x/`))).toBe(true)
    expect(fromRaw(`${sixteen}/${'x'.repeat(255)}/x`)).toStrictEqual(O.none)
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
