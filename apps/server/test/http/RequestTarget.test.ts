import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { badRequest } from '../../src/http/Refusal.js'
import { parseTarget } from '../../src/http/request.js'

describe('a request target is split at its first question mark, and not decoded', () => {
  it.each([
    ['/', '/', ''],
    ['/a/b', '/a/b', ''],
    ['/a?depth=1', '/a', 'depth=1'],
    ['/a?', '/a', ''],
    ['/?a', '/', 'a'],
    ['/a?b?c/d', '/a', 'b?c/d'],
    ['/a%3Fb?c%23', '/a%3Fb', 'c%23'],
    ['//host/a', '//host/a', ''],
  ])('%s', (url, path, query) => {
    expect(parseTarget('')(url)).toStrictEqual(E.right({ path, query }))
  })
})

describe('what a proxy might read differently is a bad request', () => {
  it.each([
    ['a whole URL', 'http://example.org/a'],
    ['a whole URL that ends in a slash', 'http://example.org/'],
    ['an asterisk', '*'],
    ['nothing', ''],
    ['a path without its slash', 'a/b'],
    ['a query alone', '?a'],
    ['a raw # in the path', '/a#b'],
    ['a raw # in the query', '/a?b#c'],
    ['a raw # at the end', '/a#'],
  ])('%s: %s', (_, url) => {
    expect(parseTarget('')(url)).toStrictEqual(E.left(badRequest))
  })
})
