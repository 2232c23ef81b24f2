import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { badRequest } from '../src/Refusal.js'
import * as RequestTarget from '../src/RequestTarget.js'

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
    expect(RequestTarget.parse(url)).toStrictEqual(E.right({ path, query }))
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
    expect(RequestTarget.parse(url)).toStrictEqual(E.left(badRequest))
  })
})

describe('a request names one host', () => {
  it.each([
    ['once', '1.1', ['Host', 'a'], true],
    ['among others, in whatever case', '1.1', ['Accept', '*/*', 'hOST', 'a', 'X', 'y'], true],
    ['not at all', '1.1', ['Accept', '*/*'], false],
    ['not at all, by HTTP/1.0', '1.0', ['Accept', '*/*'], true],
    ['twice', '1.1', ['Host', 'a', 'host', 'a'], false],
    ['twice, by HTTP/1.0', '1.0', ['Host', 'a', 'Host', 'b'], false],
    ['once, and as a value', '1.1', ['Host', 'host', 'X', 'Host'], true],
    ['as a value alone', '1.1', ['X', 'Host'], false],
  ])('%s', (_, httpVersion, rawHeaders, one) => {
    expect(RequestTarget.namesOneHost({ httpVersion, rawHeaders: [...rawHeaders] })).toBe(one)
  })
})
