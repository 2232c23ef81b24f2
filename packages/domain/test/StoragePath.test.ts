import * as fc from 'fast-check'
import * as O from 'fp-ts/lib/Option.js'
import { describe, expect, it } from 'vitest'
import { name, rawPath, spelledPath, storagePath } from '../../testkit/src/arbitraries/names.js'
import * as StoragePath from '../src/StoragePath.js'
import { name as nameOf, path } from './support.js'

const { fromRaw } = StoragePath

const names = (count: number, text = 'a') => Array.from({ length: count }, () => nameOf(text))

/** A path of `count` bytes, from 3,841 to 4,095. */
const bytes = (count: number): string => {
  const full = `${'x'.repeat(255)}/`.repeat(15)
  return `/${full}${'x'.repeat(count - full.length)}`
}

it('a literal is a path', () => {
  expect(StoragePath.unsafe('/photos')).toBe(path('/photos'))
})

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
])('a path has at most 255 segments and 4,096 bytes, decoded: %s, %i fit', (_, most, make) => {
  expect([make(most), make(most + 1)].map(O.isSome)).toStrictEqual([true, false])
})

describe('for any path', () => {
  it('its segments make the same path, and a child knows its name and its parent', () => {
    fc.assert(
      fc.property(storagePath, name, (at, last) => {
        const segments = StoragePath.segments(at)
        expect(StoragePath.fromNames(segments)).toStrictEqual(O.some(at))
        const child = StoragePath.child(at, last)
        expect(child).toStrictEqual(StoragePath.fromNames([...segments, last]))
        expect(O.map(StoragePath.name)(child)).toStrictEqual(O.map(() => last)(child))
        expect(O.flatMap(StoragePath.parent)(child)).toStrictEqual(O.map(() => at)(child))
      }),
    )
  })

  it('its ancestors go up to the root, each the parent of the one before', () => {
    fc.assert(
      fc.property(storagePath, storagePath, (at, other) => {
        const way = StoragePath.upwards(at)
        expect([way[0], way.at(-1)]).toStrictEqual([at, StoragePath.root])
        expect(way).toHaveLength(StoragePath.segments(at).length + 1)
        expect(way.slice(1).map(O.some)).toStrictEqual(way.slice(0, -1).map(StoragePath.parent))
        expect(StoragePath.contains(other)(at)).toBe(way.includes(other))
      }),
    )
  })

  it('each spelling in a request target names it', () => {
    fc.assert(
      fc.property(spelledPath, ({ raw, path: named, mustBeDirectory }) => {
        expect(fromRaw(raw)).toStrictEqual(O.some({ path: named, mustBeDirectory }))
      }),
    )
  })
})

it('the root has no parent and no name', () => {
  expect(StoragePath.parent(StoragePath.root)).toStrictEqual(O.none)
  expect(StoragePath.name(StoragePath.root)).toBe('')
})

it('a path contains others segment by segment', () => {
  const at = ['/photos', '/photos/a', '/photos2', '/photos2/photos', '/'].map(path)
  expect(at.map(StoragePath.contains(path('/photos')))).toStrictEqual([true, true, false, false, false])
  expect(at.every(StoragePath.contains(StoragePath.root))).toBe(true)
})

describe('a raw path is split on / and %2F, and each segment decoded once', () => {
  it.each([
    ['', '/'],
    ['/', '/'],
    ['/a/', '/a'],
    ['/a/b/', '/a/b'],
    ['/a%2F', '/a'],
  ])('%j must be the directory %s', (raw, named) => {
    expect(fromRaw(raw)).toStrictEqual(O.some({ path: named, mustBeDirectory: true }))
  })

  it.each([
    ['/a', '/a'],
    ['/a%2Fb', '/a/b'],
    ['/a%2fb/c', '/a/b/c'],
    ['/%252F', '/%2F'],
    ['/a+b', '/a+b'],
    ['/e%CC%81', '/e\u0301'],
    ['/%EF%BB%BF', '/\ufeff'],
    ['/%2e%2e%2e', '/...'],
  ])('%s names %j', (raw, named) => {
    expect(fromRaw(raw)).toStrictEqual(O.some({ path: named, mustBeDirectory: false }))
  })
})

const malformed = {
  escapes: ['/%', '/a%', '/%4', '/%zz', '/%u0061'],
  'cut UTF-8': ['/%C3', '/%C3%28'],
  'overlong UTF-8': ['/%C0%AF', '/%E0%80%AF'],
  surrogates: ['/%ED%A0%80', '/%ED%A0%BD%ED%B8%80'],
  'bytes beyond UTF-8': ['/%F4%90%80%80', '/%FF'],
  NUL: ['/%00', '/a%00b'],
  'empty segments': ['/a//b', '//a', '/a//', '//', '///', '/a/b//', '/%2F', '/%2Fa', '/a%2F%2f', '/a%2F/', '/a%2F/b'],
  'empty segments behind an encoded slash': ['/a/%2Fb', '%2F', '%2Fa'],
  dots: ['/.', '/a/./b', '/%2e', '/..', '/a/../b', '/a/../', '/%2e%2e', '/.%2E', '/..%2Fa', '/a%2F..'],
  'no slash at the start': ['ab'],
}

it.each(Object.entries(malformed))('a malformed path is refused: %s', (_, all) => {
  for (const raw of all) expect([raw, fromRaw(raw)]).toStrictEqual([raw, O.none])
})

it('any text in a request target is a legal path or is refused', () => {
  const any = fc.string({ unit: 'grapheme', maxLength: 20 }).map((text) => `/${text}`)
  fc.assert(
    fc.property(fc.oneof(rawPath, any), (raw) => {
      expect(O.getOrElse(() => ({ path: StoragePath.root }))(fromRaw(raw)).path).toSatisfy(StoragePath.is)
    }),
  )
})
