import * as E from 'fp-ts/lib/Either.js'
import * as O from 'fp-ts/lib/Option.js'
import * as RTE from 'fp-ts/lib/ReaderTaskEither.js'
import { describe, expect, it } from 'vitest'
import { badRequest, headTooLarge, malformed, noSuchRoute } from '../../src/http/Refusal.js'
import { askedOf, headProblem, pageOf, parseTarget, treeBounds } from '../../src/http/request.js'
import type { Route } from '../../src/routes.js'

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

const tree: Route = {
  operation: 'storageTree',
  prefix: '/tree/',
  takesPath: true,
  credential: 'token',
  answer: () => RTE.left(noSuchRoute),
}
const peek: Route = { ...tree, operation: 'triggerPeek', prefix: '/peek/', takesPath: false }

const asked = (route: Route, path: string, query = '') => askedOf(route, { path, query })

describe('what a target asks of a route', () => {
  it.each([
    ['/tree/token', 'token', ''],
    ['/tree/token/', 'token', '/'],
    ['/tree/token/a/b', 'token', '/a/b'],
    ['/tree/token//a', 'token', '//a'],
    ['/tree/to%2Fken/a%2Fb', 'to%2Fken', '/a%2Fb'],
    ['/tree/t/tree/u', 't', '/tree/u'],
  ])('%s: the segment after the prefix, and what follows it, raw', (path, credential, rest) => {
    expect(asked(tree, path)).toStrictEqual(O.some({ credential, path: rest, query: '' }))
  })

  it('keeps the query', () => {
    expect(asked(tree, '/tree/token/a', 'depth=1')).toStrictEqual(
      O.some({ credential: 'token', path: '/a', query: 'depth=1' }),
    )
  })

  it.each(['/tree/', '/tree//', '/tree//a'])('%s has no segment after the prefix: it is not the route', (path) => {
    expect(asked(tree, path)).toStrictEqual(O.none)
  })

  it.each(['/', '/tree', '/Tree/token', '/trees/token', '/tree%2Ftoken', '/a/tree/', '/a/tree/token', 'tree/token'])(
    '%s does not begin with the prefix: it is not the route',
    (path) => {
      expect(asked(tree, path)).toStrictEqual(O.none)
    },
  )

  it('a route without a path takes one segment and nothing after it', () => {
    expect(asked(peek, '/peek/bell')).toStrictEqual(O.some({ credential: 'bell', path: '', query: '' }))
    expect(asked(peek, '/peek/')).toStrictEqual(O.none)
    expect(asked(peek, '/peek/bell/')).toStrictEqual(O.none)
    expect(asked(peek, '/peek/bell/a')).toStrictEqual(O.none)
  })
})

describe('a request names one host', () => {
  it.each([
    ['once', '1.1', ['Host', 'a'], undefined],
    ['among others, in whatever case', '1.1', ['Accept', '*/*', 'hOST', 'a', 'X', 'y'], undefined],
    ['not at all', '1.1', ['Accept', '*/*'], badRequest],
    ['not at all, by HTTP/1.0', '1.0', ['Accept', '*/*'], undefined],
    ['twice', '1.1', ['Host', 'a', 'host', 'a'], badRequest],
    ['twice, by HTTP/1.0', '1.0', ['Host', 'a', 'Host', 'b'], badRequest],
    ['once, and as a value', '1.1', ['Host', 'host', 'X', 'Host'], undefined],
    ['as a value alone', '1.1', ['X', 'Host'], badRequest],
  ])('%s', (_, httpVersion, rawHeaders, problem) => {
    expect(headProblem({ httpVersion, rawHeaders: [...rawHeaders] })).toEqual(problem)
  })

  it.each(['', 'localhost', 'files.example:8080', '127.0.0.1:', '[::1]:8080', 'a_b', 'xn--n3h.example', '%61'])(
    'that may be "%s"',
    (host) => {
      expect(headProblem({ httpVersion: '1.1', rawHeaders: ['Host', host] })).toBeUndefined()
    },
  )

  it.each(['a b', 'user@host', 'a/b', 'a#b', 'a?b', 'a,b c', 'http://a', 'a:b', '[::1', '::1', 'a\tb', 'caf\u00e9'])(
    'that may not be "%s"',
    (host) => {
      expect(headProblem({ httpVersion: '1.1', rawHeaders: ['Host', host] })).toEqual(badRequest)
    },
  )
})

describe('a request says where its body ends', () => {
  const problemOf = (...codings: ReadonlyArray<string>) =>
    headProblem({
      httpVersion: '1.1',
      rawHeaders: ['Host', 'a', ...codings.flatMap((coding) => ['transfer-Encoding', coding])],
    })

  it.each([[[]], [['chunked']], [['Chunked ']], [['gzip, chunked']], [['gzip', 'chunked']]])('by %j', (codings) => {
    expect(problemOf(...codings)).toBeUndefined()
  })

  it('not with HTTP/1.0, which knows no codings', () => {
    const rawHeaders = ['Host', 'a', 'Transfer-Encoding', 'chunked']
    expect(headProblem({ httpVersion: '1.0', rawHeaders })).toEqual(badRequest)
  })

  it.each([[['gzip']], [['']], [['chunked, gzip']], [['chunked', 'identity']], [['xchunked']]])(
    'not by %j',
    (codings) => {
      expect(problemOf(...codings)).toEqual(badRequest)
    },
  )
})

describe('a request is of HTTP/1.1 or HTTP/1.0', () => {
  it.each(['0.9', '2.0'])('and not of HTTP/%s', (httpVersion) => {
    expect(headProblem({ httpVersion, rawHeaders: ['Host', 'a'] })).toEqual(badRequest)
  })
})

describe('a request has at most 100 headers', () => {
  const headers = (count: number) => [
    'Host',
    'a',
    ...Array.from({ length: count - 1 }, (_, at) => [`X-${at}`, 'x']).flat(),
  ]

  it('and is too large with one more', () => {
    expect(headProblem({ httpVersion: '1.1', rawHeaders: headers(100) })).toBeUndefined()
    expect(headProblem({ httpVersion: '1.1', rawHeaders: headers(101) })).toEqual(headTooLarge)
  })
})

const depth = (text: string) => treeBounds(9)(text)
const bounds = (levels: O.Option<number>) => E.right({ depth: levels, nodes: 9 })
const page = (limit: O.Option<number>, after: O.Option<string>) => E.right({ limit, after })

describe('a parameter of the query', () => {
  it.each([
    '',
    '&',
    'a=1',
    'Depth=1',
    'depth%20=1',
    'xdepth=1',
    '=1',
    '1',
    '%zz=1',
    'a=%zz',
    '%64%65%70%74%68%31=1',
    '%'.repeat(20),
  ])('is not in "%s": what is unknown is ignored', (text) => {
    expect(depth(text)).toStrictEqual(bounds(O.none))
  })

  it.each(['depth=2', 'a=1&depth=2', 'depth=2&a=1', '&depth=2&', '%zz=1&depth=2', 'de%70th=2', 'depth=%32'])(
    'is in "%s", in any spelling',
    (text) => {
      expect(depth(text)).toStrictEqual(bounds(O.some(2)))
    },
  )

  it.each(['depth=1&depth=2', 'depth=1&depth=1', 'depth&de%70th=1', 'depth=%zz', 'depth=%C3'])(
    'is malformed when it is given twice or its escapes are: "%s"',
    (text) => {
      expect(depth(text)).toStrictEqual(E.left(malformed('depth')))
    },
  )
})

describe('a number is written in digits, without a sign or leading zeros', () => {
  it.each([
    ['0', 0],
    ['7', 7],
    ['10', 10],
    ['123', 123],
  ])('depth=%s', (digits, levels) => {
    expect(depth(`depth=${digits}`)).toStrictEqual(bounds(O.some(levels)))
  })

  it.each(['', '-1', '%2B1', '+1', '01', '00', '1.0', '1e3', '0x1', 'a', '1a', 'a1', '1=', '1%0A'])(
    'depth=%s is a bad request',
    (text) => {
      expect(depth(`depth=${text}`)).toStrictEqual(E.left(malformed('depth')))
    },
  )

  it('depth without a value is a bad request', () => {
    expect(depth('depth')).toStrictEqual(E.left(malformed('depth')))
  })
})

describe('limit and after ask for a page', () => {
  it('is the whole listing by default', () => {
    expect(pageOf('')).toStrictEqual(page(O.none, O.none))
  })

  it('limit is a number of items from 1', () => {
    expect(pageOf('limit=1')).toStrictEqual(page(O.some(1), O.none))
    expect(pageOf('limit=200')).toStrictEqual(page(O.some(200), O.none))
    expect(pageOf('limit=0')).toStrictEqual(E.left(malformed('limit')))
  })

  it.each([
    ['after=a', 'a'],
    ['after=a=b', 'a=b'],
    ['after==', '='],
    ['after=a+b', 'a b'],
    ['after=a+b+c', 'a b c'],
    ['after=a%2Bb%26c', 'a+b&c'],
    ['after=%252F', '%2F'],
    ['after=', ''],
    ['after', ''],
  ])('%s means the name %j', (text, name) => {
    expect(pageOf(text)).toStrictEqual(page(O.none, O.some(name)))
  })

  it('both at once', () => {
    expect(pageOf('after=b&limit=3')).toStrictEqual(page(O.some(3), O.some('b')))
  })

  it('one that is malformed is enough for a bad request, which names it, limit first', () => {
    expect(pageOf('limit=3&after=%zz')).toStrictEqual(E.left(malformed('after')))
    expect(pageOf('limit=x&after=a')).toStrictEqual(E.left(malformed('limit')))
    expect(pageOf('after=a&after=b')).toStrictEqual(E.left(malformed('after')))
    expect(pageOf('after=%zz&limit=x')).toStrictEqual(E.left(malformed('limit')))
  })
})
