import * as E from 'fp-ts/lib/Either.js'
import { describe, expect, it } from 'vitest'
import { badRequest, noSuchRoute } from '../../src/http/Refusal.js'
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

describe('below a base path', () => {
  it.each([
    ['/c/x', '/a', '/c/x/a', ''],
    ['/c/x', '/', '/c/x/', ''],
    ['/c/x', '', '/c/x', ''],
    ['/c/x', '', '/c/x?a/b', 'a/b'],
    ['/c/x', '/c/x', '/c/x/c/x?', ''],
  ])('%s, the target is %j: %s', (basePath, path, url, query) => {
    expect(parseTarget(basePath)(url)).toStrictEqual(E.right({ path, query }))
  })

  it.each(['/', '/c', '/c/xy', '/c/x2/a', '/d/x/a', '/c/?/x', '/c?x/a', '/C/x/a', '/c/%78/a', '//c/x/a'])(
    'nothing else is a route: %s',
    (url) => {
      expect(parseTarget('/c/x')(url)).toStrictEqual(E.left(noSuchRoute))
    },
  )

  it.each(['', '*', 'http://x/c/x/a', '/c/x/a#', '/d#'])('what is odd is a bad request all the same: %j', (url) => {
    expect(parseTarget('/c/x')(url)).toStrictEqual(E.left(badRequest))
  })
})
